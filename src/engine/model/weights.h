// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Named tensors, wherever their bytes are: a mapped file, a decoded checkpoint or our own memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace revisit::model {

enum class DType { kF64, kF32, kF16, kBF16, kI64, kI32, kI16, kI8, kU8, kBool };

const char* name_of(DType dtype);        ///< as safetensors spells it: "F32", "BOOL", ...
std::size_t bytes_of(DType dtype);
bool is_floating(DType dtype);

/// One tensor: contiguous, C order, little-endian. Does not own its bytes.
struct TensorView {
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;       // [] is a scalar with one element
  const std::byte* data = nullptr;

  std::int64_t count() const;
  std::size_t size_bytes() const;
  std::string shape_text() const;        // "[64, 3, 14, 14]"
};

/// Values widened to f32 (any dtype).
std::vector<float> to_f32(const TensorView& tensor);

/// The tensors of a model or checkpoint by name; `storage` keeps their bytes alive.
/// Threads may read one object at once.
class Weights {
 public:
  void add(const std::string& name, TensorView tensor, std::shared_ptr<const void> storage);
  /// Copies `values` into storage of its own.
  void add_f32(const std::string& name, std::vector<std::int64_t> shape, std::vector<float> values);

  bool contains(const std::string& name) const { return tensors_.contains(name); }
  const TensorView& at(const std::string& name) const;   ///< throws Error kBadModel when absent
  const std::map<std::string, TensorView>& all() const { return tensors_; }

  /// The f32 values of a tensor that must have exactly `count` elements and may not be int8, which is nothing without its scales:
  /// in place when stored as f32, else widened once. The pointer stays valid as long as this object. Throws Error kBadModel.
  const float* f32_data(const std::string& name, std::int64_t count) const;
  /// The bytes of a tensor that must be stored as int8 and have exactly `count`, in place. Throws Error kBadModel.
  const std::int8_t* i8_data(const std::string& name, std::int64_t count) const;

 private:
  const TensorView& counted(const std::string& name, std::int64_t count) const;

  std::map<std::string, TensorView> tensors_;
  std::vector<std::shared_ptr<const void>> storage_;
  mutable std::map<std::string, std::vector<float>> widened_;
};

}  // namespace revisit::model

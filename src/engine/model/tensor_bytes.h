// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// From described bytes to a TensorView: in place if possible, else a copy within a fixed budget.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/model/weights.h"

namespace revisit::model {

/// Bounds what the tensors of a file may add up to: kMaxTensorGrowth x file size + kTensorSlackBytes. Tensors may share a storage
/// and repeat its elements, but everything after the reading (hashes, checks, the model file) costs their bytes one by one.
class TensorBudget {
 public:
  TensorBudget(std::uint64_t file_bytes, std::string file);
  /// Throws Error kLimit naming `tensor` when the budget is used up.
  void spend(std::uint64_t bytes, const std::string& tensor);

 private:
  std::uint64_t limit_;
  std::uint64_t spent_ = 0;
  std::string file_;
};

/// A strided look at a storage, in elements. Already checked to lie inside `bytes`.
struct StridedView {
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  // one for each dimension, >= 0; 0 repeats
  std::span<const std::byte> bytes;   // starts at the first element
};

/// Adds the tensor to `weights`: in place when it is contiguous and aligned for its dtype (then `storage` is kept),
/// else as a contiguous copy. Either counts against `budget`.
void add_tensor(Weights& weights, const std::string& name, const StridedView& view, const std::shared_ptr<const void>& storage,
                TensorBudget& budget);

/// Strides of a contiguous tensor in C order, in elements.
std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& shape);

}  // namespace revisit::model

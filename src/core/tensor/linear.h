// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// y = x W^T + b. Precision lives here and nowhere else: f32 rows in, f32 rows out.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <variant>

#include "core/tensor/arena.h"
#include "core/tensor/matrix.h"

namespace revisit::tensor {

/// What a layer computes its products in. Whatever it is, rows go in and come out as f32.
enum class Precision {
  kF32,
  kBf16,
  kInt8,
};

/// Of "int8" and "bf16"; any other word is f32.
Precision precision_of(std::string_view word);

/// Whether this processor has instructions for it; without them the products are right and slow.
bool is_fast(Precision precision);

/// Weights (out, in) in bytes: those of an output are its scale times its bytes, in [-127, 127], rotated back (rotate_row).
struct ByteWeights {
  const std::int8_t* values;  // (out, in)
  const float* scales;        // (out)
};
using LinearWeight = std::variant<const float*, ByteWeights>;

class Linear {
 public:
  /// What happens to the result inside the same pass over memory.
  enum class After {
    kNothing,
    kRelu,
    kGelu,     ///< exact erf form
    kAdd,      ///< y += result (residual stream)
    kAddRelu,  ///< y = max(0, y + result)
  };

  /// weight is (out, in), bias is (out) or null. Nothing given is needed afterwards: weights are brought once into the order the
  /// kernel reads them in, on huge pages. The same bits in int8 from bytes as from the floats they were made of (to_bytes), where
  /// a kernel takes any bytes. out_scale (LayerScale, or null) multiplies each output channel: it is folded into the copies.
  Linear(const LinearWeight& weight, const float* bias, int in, int out, After after = After::kNothing,
         const float* out_scale = nullptr, Precision precision = Precision::kF32);
  ~Linear();
  Linear(Linear&&) noexcept;
  Linear& operator=(Linear&&) noexcept;

  /// x is (rows, in), y is (rows, out); both dense (stride == cols). x and y must not overlap. Scratch comes from the arena.
  void operator()(ConstMatrix x, Matrix y, Arena& arena) const;

  int in() const;
  int out() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

namespace reference {
/// The same in plain loops with double sums; `after` and `out_scale` as above.
void linear(ConstMatrix x, const float* weight, const float* bias, const float* out_scale, Linear::After after, Matrix y);
}  // namespace reference

}  // namespace revisit::tensor

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// y = x W^T + b in narrow numbers: bytes, or bfloat16.
//   bytes  Rows and weights are rotated (rotate_row). W_oi = w_o q_oi, one w an output (byte_weights.h); x_i = s p_i, one s a
//          row, found anew in each product; p and q are in [-127, 127]. Sums of q p are exact.
//   bfloat W and x are rounded to bfloat16, sums are f32.
#pragma once

#include <vector>

#include "core/base/big_buffer.h"
#include "core/tensor/arena.h"
#include "core/tensor/linear.h"
#include "core/tensor/matrix.h"
#include "core/tensor/narrow_kernels.h"

namespace revisit::tensor {

class NarrowProduct {
 public:
  /// As Linear, on one of byte_kernels() or bfloat_kernels(); weights in bytes only for those of bytes that take any pair.
  NarrowProduct(const NarrowKernel& kernel, const LinearWeight& weight, const float* bias, int in, int out, Linear::After after,
                const float* out_scale);

  /// x is (rows, in), y is (rows, out). The same sums for any number of rows and threads.
  void operator()(ConstMatrix x, Matrix y, Arena& arena) const;

 private:
  bool bytes() const { return kernel_->bytes; }
  std::size_t weight_bytes() const { return static_cast<std::size_t>(steps_) * kStepBytes * kPanel; }
  std::size_t panel_bytes() const { return kPanel * sizeof(float) + weight_bytes(); }
  const std::byte* panel(int p) const;
  void pack(const LinearWeight& weight, const float* bias, const float* out_scale, int p);

  const NarrowKernel* kernel_;
  int in_, out_, panels_;
  int steps_;  // of 64 bytes a row
  Linear::After after_;
  BigBuffer weights_;         // [panel] its start, then [4 bytes of a row][output of the panel]
  std::vector<float> bias_;   // both of bytes only, filled up to whole panels
  std::vector<float> scale_;
};

}  // namespace revisit::tensor

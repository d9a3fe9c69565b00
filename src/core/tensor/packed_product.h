// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// y = x W^T + b with weights put in the kernel's own order once: doing so at every call would cost the more the fewer rows there are,
// just where pruning is meant to gain.
#pragma once

#include "core/base/big_buffer.h"
#include "core/tensor/arena.h"
#include "core/tensor/linear.h"
#include "core/tensor/matrix.h"

namespace revisit::tensor {

/// Inputs summed in registers in one go: 256 and 384 were slower by 5 to 15 %, 1024 gained nothing.
inline constexpr int kSlice = 768;

class PackedProduct {
 public:
  /// As Linear; nothing given is needed afterwards.
  PackedProduct(const float* weight, const float* bias, int in, int out, Linear::After after, const float* out_scale);

  /// x is (rows, in), y is (rows, out). The same sums in the same order for any number of rows and threads.
  void operator()(ConstMatrix x, Matrix y, Arena& arena) const;

 private:
  int in_;
  int out_;
  Linear::After after_;
  BigBuffer panels_;  // [panel][in][outputs of a panel], the last panel filled up with zeros
  BigBuffer bias_;    // filled up to whole panels
};

}  // namespace revisit::tensor

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What stands before and after a product of narrow numbers: rows of f32 become bytes or bfloat16, sums become rows of f32 again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/tensor/linear.h"
#include "core/tensor/narrow_kernels.h"

namespace revisit::tensor {

/// An orthogonal transform, the same for any two rows of one length, so products of rows stay what they are: each value becomes a sum
/// of up to 32, signs as in a Hadamard matrix. Transformers have channels many times larger than the rest, which would leave few of
/// the levels of a byte to all others; afterwards no value stands out. Does nothing where 16 does not divide `count`.
void rotate_row(const float* row, int count, float* to);
/// A row as whole numbers q in [-127, 127], x = scale q: returns scale, which is not finite where the row is not. Written are q + zero
/// and, up to `bytes`, zeros. `zero` is 0 or 128.
float quantise_row(const float* row, int count, int zero, std::byte* to, std::ptrdiff_t bytes);
/// The nearest bfloat16 numbers, to even. The row holds no NaN.
void bfloat_row(const float* row, int count, std::byte* to, std::ptrdiff_t bytes);

/// y (rows, columns <= 32) = ending(sums * row scale * column scale + bias).
struct ByteColumns {
  const float* scale;
  const float* bias;
};
void finish_bytes(const std::int32_t* sums, int rows, const float* row_scales, const ByteColumns& columns, Linear::After after,
                  float* y, std::ptrdiff_t stride, int count);
/// y (rows, columns <= 32) = ending(sums).
void finish_bfloats(const float* sums, int rows, Linear::After after, float* y, std::ptrdiff_t stride, int count);

namespace reference {
void rotate_row(const float* row, int count, float* to);
float quantise_row(const float* row, int count, int zero, std::byte* to, std::ptrdiff_t bytes);
}  // namespace reference

}  // namespace revisit::tensor

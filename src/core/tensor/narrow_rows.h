// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What stands before and after a product of narrow numbers: rows of f32 become bytes or bfloat16, sums become rows of f32 again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/tensor/linear.h"
#include "core/tensor/narrow_kernels.h"

namespace revisit::tensor {

/// A row as bytes q: x = scale (q - zero), where 0 is exact and the ends of the row are 0 and `levels`.
struct ByteRow {
  float scale;
  std::int32_t zero;
};

/// An orthogonal transform, the same for any two rows of one length, so products of rows stay what they are: each value becomes a sum
/// of up to 32, signs as in a Hadamard matrix. Transformers have channels many times larger than the rest, which would leave few of
/// the levels of a byte to all others; afterwards no value stands out. Does nothing where 16 does not divide `count`.
void rotate_row(const float* row, int count, float* to);
/// `bytes` of `to` are written: those behind the row are 0.
ByteRow quantise_row(const float* row, int count, int levels, std::byte* to, std::ptrdiff_t bytes);
/// The nearest bfloat16 numbers, to even. The row holds no NaN.
void bfloat_row(const float* row, int count, std::byte* to, std::ptrdiff_t bytes);

/// y (rows, columns <= 32) = ending((sums - zero * column_sums) * row scale * column_scale + bias).
struct ByteColumns {
  const std::int32_t* sums;  // of the weights, as bytes
  const float* scale;
  const float* bias;
};
void finish_bytes(const std::int32_t* sums, int rows, const ByteRow* of_rows, const ByteColumns& columns, Linear::After after,
                  float* y, std::ptrdiff_t stride, int count);
/// y (rows, columns <= 32) = ending(sums + bias).
void finish_bfloats(const float* sums, int rows, const float* bias, Linear::After after, float* y, std::ptrdiff_t stride, int count);

namespace reference {
void rotate_row(const float* row, int count, float* to);
ByteRow quantise_row(const float* row, int count, int levels, std::byte* to, std::ptrdiff_t bytes);
}  // namespace reference

}  // namespace revisit::tensor

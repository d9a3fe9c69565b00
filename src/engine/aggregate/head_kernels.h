// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The three inner loops of the optimal-transport heads (Highway, run-time dispatch). One thread each: they take microseconds.
#pragma once

#include "core/tensor/matrix.h"

namespace revisit::aggregate {

/// Rows of the matrices below are padded to a multiple of this many floats, so that no kernel has a tail of columns.
inline constexpr int kPad = 16;
inline constexpr int padded(int cols) { return (cols + kPad - 1) / kPad * kPad; }

/// out[j] = log sum_i exp(x_ij + row_shift[i]). x.stride is padded and padding columns hold finite values (their out is finite
/// too). out has room for x.stride floats; scratch for 2 * x.stride.
void column_log_sum_exp(tensor::ConstMatrix x, const float* row_shift, float* out, float* scratch);

/// out[i] = log sum_j exp(x_ij + col_shift[j]) over all x.stride columns: padding must be so low that its exp is 0.
void row_log_sum_exp(tensor::ConstMatrix x, const float* col_shift, float* out);

/// Row i of x becomes mass[i] * softmax_j(x_ij + col_shift[j]): it sums to mass[i] however large x is. out[i] as above.
void row_softmax(tensor::Matrix x, const float* col_shift, const float* mass, float* out);

/// y (weights.cols, values.cols) = weights^T values: the weighted sum of rows of `values` for each column of `weights`.
void weighted_sums(tensor::ConstMatrix weights, tensor::ConstMatrix values, tensor::Matrix y);

namespace reference {
void column_log_sum_exp(tensor::ConstMatrix x, const float* row_shift, float* out);
void row_log_sum_exp(tensor::ConstMatrix x, const float* col_shift, float* out);
void weighted_sums(tensor::ConstMatrix weights, tensor::ConstMatrix values, tensor::Matrix y);
}  // namespace reference

}  // namespace revisit::aggregate

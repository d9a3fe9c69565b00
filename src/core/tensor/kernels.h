// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Row kernels (Highway, run-time dispatch) and, under reference::, the same in plain loops.
#pragma once

#include "core/tensor/matrix.h"

namespace revisit::tensor {

/// y = (x - mean) / sqrt(var + eps) * gamma + beta per row, biased variance. x and y may be the same.
void layer_norm(ConstMatrix x, const float* gamma, const float* beta, float eps, Matrix y);

/// exp(scale * (x - max)) / sum per row, in place.
void softmax_rows(Matrix x, float scale);

/// One row of the above without the division: x becomes exp(scale * (x - max)), the sum is returned.
float exp_row(float* x, int count, float scale);

/// One row of softmax_rows, on the calling thread.
void softmax_row(float* x, int count, float scale);

/// Of such a row p: dp becomes the gradient of x, scale p (dp - sum(p dp)).
void softmax_row_gradient(const float* p, float* dp, int count, float scale);

/// y = x / 2 (1 + erf(x / sqrt 2)), within 1e-6 (of the largest value, where that is above 1), on the calling thread.
void gelu(const float* x, int count, float* y);
/// dx = dy times the slope of the above at x.
void gelu_gradient(const float* x, const float* dy, int count, float* dx);

/// log(sum(exp(x))) of count values; finite for any finite input, -inf only when all are.
float log_sum_exp(const float* x, int count);

/// x / max(||x||, 1e-12) in place; returns the norm before.
float l2_normalise(float* x, int count);

/// sqrt of the sum of squares.
float l2_norm(const float* x, int count);

/// y = silu(x1) * x2 where x is (rows, 2 * hidden) = [x1 | x2].
void swiglu(ConstMatrix x, Matrix y);

namespace reference {
void layer_norm(ConstMatrix x, const float* gamma, const float* beta, float eps, Matrix y);
void softmax_rows(Matrix x, float scale);
float log_sum_exp(const float* x, int count);
float l2_normalise(float* x, int count);
float l2_norm(const float* x, int count);
void swiglu(ConstMatrix x, Matrix y);
}  // namespace reference

}  // namespace revisit::tensor

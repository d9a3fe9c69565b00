// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Row kernels in Highway: compiled once per instruction set, the best one chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tensor/kernels.cpp"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>
//
#include <hwy/contrib/math/math-inl.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/tensor/exponential-inl.h"
#include "core/tensor/gelu-inl.h"
#include "core/tensor/kernels.h"
#include "core/tensor/parallel.h"

HWY_BEFORE_NAMESPACE();
namespace revisit::tensor::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// Folds op(value, sum) over count values into a sum, with two vectors in flight so that the additions overlap.
template <typename Op>
HWY_INLINE float sum_over(const float* x, int count, Op op) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  V a = hn::Zero(d);
  V b = hn::Zero(d);
  int i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    a = op(hn::LoadU(d, x + i), a);
    b = op(hn::LoadU(d, x + i + lanes), b);
  }
  for (; i + lanes <= count; i += lanes) a = op(hn::LoadU(d, x + i), a);
  float total = hn::GetLane(hn::SumOfLanes(d, hn::Add(a, b)));
  for (; i < count; ++i) total = hn::GetLane(op(hn::Set(d, x[i]), hn::Set(d, total)));
  return total;
}

HWY_INLINE float max_of(const float* x, int count) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  float best = -std::numeric_limits<float>::infinity();
  int i = 0;
  if (count >= lanes) {
    V m = hn::LoadU(d, x);
    for (i = lanes; i + lanes <= count; i += lanes) m = hn::Max(m, hn::LoadU(d, x + i));
    best = hn::GetLane(hn::MaxOfLanes(d, m));
  }
  for (; i < count; ++i) best = std::max(best, x[i]);
  return best;
}

void LayerNormRow(const float* x, const float* gamma, const float* beta, float eps, int count, float* y) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const float mean = sum_over(x, count, [](V v, V sum) HWY_ATTR { return hn::Add(sum, v); }) / static_cast<float>(count);
  const V mean_v = hn::Set(d, mean);
  const float squares = sum_over(x, count, [mean_v](V v, V sum) HWY_ATTR {
    const V diff = hn::Sub(v, mean_v);
    return hn::MulAdd(diff, diff, sum);
  });
  const float scale = 1.0F / std::sqrt(squares / static_cast<float>(count) + eps);
  const V scale_v = hn::Set(d, scale);
  int i = 0;
  for (; i + lanes <= count; i += lanes) {
    const V centred = hn::Mul(hn::Sub(hn::LoadU(d, x + i), mean_v), scale_v);
    hn::StoreU(hn::MulAdd(centred, hn::LoadU(d, gamma + i), hn::LoadU(d, beta + i)), d, y + i);
  }
  for (; i < count; ++i) y[i] = (x[i] - mean) * scale * gamma[i] + beta[i];
}

// x becomes exp(scale * (x - max)); returns the sum.
float ExpRow(float* x, int count, float scale) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const float highest = max_of(x, count);
  const V scale_v = hn::Set(d, scale);
  const V highest_v = hn::Set(d, highest);
  V total = hn::Zero(d);
  int i = 0;
  V other = total;
  const auto power = [&](int at) HWY_ATTR { return exp_of(hn::Mul(hn::Sub(hn::LoadU(d, x + at), highest_v), scale_v)); };
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    const V left = power(i), right = power(i + lanes);
    hn::StoreU(left, d, x + i);
    hn::StoreU(right, d, x + i + lanes);
    total = hn::Add(total, left);
    other = hn::Add(other, right);
  }
  for (; i + lanes <= count; i += lanes) {
    const V e = power(i);
    hn::StoreU(e, d, x + i);
    total = hn::Add(total, e);
  }
  float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(total, other)));
  for (; i < count; ++i) {
    x[i] = std::exp((x[i] - highest) * scale);
    sum += x[i];
  }
  return sum;
}

float LogSumExp(const float* x, int count) {
  const float highest = max_of(x, count);
  if (!std::isfinite(highest)) return highest;
  const D d;
  const V highest_v = hn::Set(d, highest);
  const float sum =
      sum_over(x, count, [d, highest_v](V v, V total) HWY_ATTR { return hn::Add(total, hn::Exp(d, hn::Sub(v, highest_v))); });
  return highest + std::log(sum);
}

void ScaleRow(float* x, int count, float factor) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const V factor_v = hn::Set(d, factor);
  int i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(hn::Mul(hn::LoadU(d, x + i), factor_v), d, x + i);
  for (; i < count; ++i) x[i] *= factor;
}

float SumOfSquares(const float* x, int count) {
  return sum_over(x, count, [](V v, V sum) HWY_ATTR { return hn::MulAdd(v, v, sum); });
}

// to[i] = function(a[i], b[i]), a vector at a time, the last ones in a vector of their own.
template <typename Function>
HWY_INLINE void map_values(const float* a, const float* b, int count, float* to, Function function) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  int i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(function(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, to + i);
  if (i == count) return;
  HWY_ALIGN float edge_a[HWY_MAX_BYTES / sizeof(float)] = {}, edge_b[HWY_MAX_BYTES / sizeof(float)] = {};
  std::copy_n(a + i, count - i, edge_a);
  std::copy_n(b + i, count - i, edge_b);
  hn::Store(function(hn::Load(d, edge_a), hn::Load(d, edge_b)), d, edge_a);
  std::copy_n(edge_a, count - i, to + i);
}

void Gelu(const float* x, int count, float* y) {
  map_values(x, x, count, y, [](V v, V) HWY_ATTR { return gelu_of(v); });
}

// The slope is Phi(x) + x phi(x).
void GeluGradient(const float* x, const float* dy, int count, float* dx) {
  map_values(x, dy, count, dx, [](V v, V slope) HWY_ATTR {
    const D d;
    const Bell<V> b = bell(v);
    const V below = hn::IfThenElse(hn::Lt(v, hn::Zero(d)), b.tail, hn::Sub(hn::Set(d, 1.0F), b.tail));
    return hn::Mul(slope, hn::MulAdd(hn::Mul(v, hn::Set(d, 0.39894228F)), b.height, below));
  });
}

void SoftmaxRowGradient(const float* p, float* dp, int count, float scale) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  V sums = hn::Zero(d);
  int i = 0;
  for (; i + lanes <= count; i += lanes) sums = hn::MulAdd(hn::LoadU(d, p + i), hn::LoadU(d, dp + i), sums);
  float sum = hn::GetLane(hn::SumOfLanes(d, sums));
  for (; i < count; ++i) sum += p[i] * dp[i];
  const V sum_v = hn::Set(d, sum), scale_v = hn::Set(d, scale);
  map_values(p, dp, count, dp, [sum_v, scale_v](V a, V b) HWY_ATTR { return hn::Mul(scale_v, hn::Mul(a, hn::Sub(b, sum_v))); });
}

void SwigluRow(const float* x1, const float* x2, int count, float* y) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const V one = hn::Set(d, 1.0F);
  int i = 0;
  for (; i + lanes <= count; i += lanes) {
    const V a = hn::LoadU(d, x1 + i);
    const V silu = hn::Div(a, hn::Add(one, hn::Exp(d, hn::Neg(a))));
    hn::StoreU(hn::Mul(silu, hn::LoadU(d, x2 + i)), d, y + i);
  }
  for (; i < count; ++i) y[i] = x1[i] / (1.0F + std::exp(-x1[i])) * x2[i];
}

}  // namespace revisit::tensor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace revisit::tensor {

HWY_EXPORT(LayerNormRow);
HWY_EXPORT(ExpRow);
HWY_EXPORT(LogSumExp);
HWY_EXPORT(ScaleRow);
HWY_EXPORT(SumOfSquares);
HWY_EXPORT(SwigluRow);
HWY_EXPORT(Gelu);
HWY_EXPORT(GeluGradient);
HWY_EXPORT(SoftmaxRowGradient);

void layer_norm(ConstMatrix x, const float* gamma, const float* beta, float eps, Matrix y) {
  parallel_for(x.rows, [&](int r) { HWY_DYNAMIC_DISPATCH(LayerNormRow)(x.row(r), gamma, beta, eps, x.cols, y.row(r)); });
}

float exp_row(float* x, int count, float scale) { return HWY_DYNAMIC_DISPATCH(ExpRow)(x, count, scale); }

void softmax_rows(Matrix x, float scale) {
  parallel_for(x.rows, [&](int r) {
    const float sum = exp_row(x.row(r), x.cols, scale);
    HWY_DYNAMIC_DISPATCH(ScaleRow)(x.row(r), x.cols, 1.0F / sum);
  });
}

void softmax_row(float* x, int count, float scale) {
  const float sum = HWY_DYNAMIC_DISPATCH(ExpRow)(x, count, scale);
  HWY_DYNAMIC_DISPATCH(ScaleRow)(x, count, 1.0F / sum);
}

void softmax_row_gradient(const float* p, float* dp, int count, float scale) {
  HWY_DYNAMIC_DISPATCH(SoftmaxRowGradient)(p, dp, count, scale);
}

void gelu(const float* x, int count, float* y) { HWY_DYNAMIC_DISPATCH(Gelu)(x, count, y); }

void gelu_gradient(const float* x, const float* dy, int count, float* dx) {
  HWY_DYNAMIC_DISPATCH(GeluGradient)(x, dy, count, dx);
}

float log_sum_exp(const float* x, int count) { return HWY_DYNAMIC_DISPATCH(LogSumExp)(x, count); }

float l2_norm(const float* x, int count) { return std::sqrt(HWY_DYNAMIC_DISPATCH(SumOfSquares)(x, count)); }

float l2_normalise(float* x, int count) {
  const float norm = l2_norm(x, count);
  HWY_DYNAMIC_DISPATCH(ScaleRow)(x, count, 1.0F / std::max(norm, 1e-12F));
  return norm;
}

void swiglu(ConstMatrix x, Matrix y) {
  parallel_for(x.rows, [&](int r) { HWY_DYNAMIC_DISPATCH(SwigluRow)(x.row(r), x.row(r) + y.cols, y.cols, y.row(r)); });
}

namespace reference {

void layer_norm(ConstMatrix x, const float* gamma, const float* beta, float eps, Matrix y) {
  for (int r = 0; r < x.rows; ++r) {
    double mean = 0;
    for (int i = 0; i < x.cols; ++i) mean += static_cast<double>(x.row(r)[i]) / x.cols;
    double variance = 0;
    for (int i = 0; i < x.cols; ++i) variance += (x.row(r)[i] - mean) * (x.row(r)[i] - mean) / x.cols;
    for (int i = 0; i < x.cols; ++i) {
      y.row(r)[i] = static_cast<float>((x.row(r)[i] - mean) / std::sqrt(variance + eps) * gamma[i] + beta[i]);
    }
  }
}

void softmax_rows(Matrix x, float scale) {
  for (int r = 0; r < x.rows; ++r) {
    const double highest = *std::max_element(x.row(r), x.row(r) + x.cols);
    double sum = 0;
    for (int i = 0; i < x.cols; ++i) sum += std::exp(scale * (x.row(r)[i] - highest));
    for (int i = 0; i < x.cols; ++i) x.row(r)[i] = static_cast<float>(std::exp(scale * (x.row(r)[i] - highest)) / sum);
  }
}

float log_sum_exp(const float* x, int count) {
  const double highest = *std::max_element(x, x + count);
  if (!std::isfinite(highest)) return static_cast<float>(highest);
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += std::exp(x[i] - highest);
  return static_cast<float>(highest + std::log(sum));
}

float l2_norm(const float* x, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return static_cast<float>(std::sqrt(sum));
}

float l2_normalise(float* x, int count) {
  const float norm = reference::l2_norm(x, count);
  for (int i = 0; i < count; ++i) x[i] = static_cast<float>(x[i] / std::max(static_cast<double>(norm), 1e-12));
  return norm;
}

void swiglu(ConstMatrix x, Matrix y) {
  for (int r = 0; r < x.rows; ++r) {
    for (int i = 0; i < y.cols; ++i) {
      const double a = x.row(r)[i];
      y.row(r)[i] = static_cast<float>(a / (1.0 + std::exp(-a)) * x.row(r)[y.cols + i]);
    }
  }
}

}  // namespace reference
}  // namespace revisit::tensor
#endif  // HWY_ONCE

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Log-sum-exp along both sides of a score matrix, and the product P^T F.
#include "engine/aggregate/head_kernels.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/aggregate/head_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace revisit::aggregate {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, kPad>;
// Sums over many tokens are taken block by block, which keeps float rounding small up to 10^5 tokens and the data in cache.
constexpr int kBlock = 256;

void column_log_sum_exp(tensor::ConstMatrix x, const float* row_shift, float* out, float* scratch) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int cols = x.stride;
  float* highest = scratch;
  float* block = scratch + cols;
  for (int j = 0; j < cols; j += lanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, x.row(0) + j), hn::Set(d, row_shift[0])), d, highest + j);
    hn::StoreU(hn::Zero(d), d, out + j);
  }
  for (int i = 1; i < x.rows; ++i) {
    const float* row = x.row(i);
    const auto shift = hn::Set(d, row_shift[i]);
    for (int j = 0; j < cols; j += lanes) {
      hn::StoreU(hn::Max(hn::LoadU(d, highest + j), hn::Add(hn::LoadU(d, row + j), shift)), d, highest + j);
    }
  }
  for (int first = 0; first < x.rows; first += kBlock) {
    const int last = std::min(x.rows, first + kBlock);
    std::fill_n(block, cols, 0.0F);
    for (int i = first; i < last; ++i) {
      const float* row = x.row(i);
      const auto shift = hn::Set(d, row_shift[i]);
      for (int j = 0; j < cols; j += lanes) {
        const auto below = hn::Sub(hn::Add(hn::LoadU(d, row + j), shift), hn::LoadU(d, highest + j));
        hn::StoreU(hn::Add(hn::LoadU(d, block + j), hn::Exp(d, below)), d, block + j);
      }
    }
    for (int j = 0; j < cols; j += lanes) {
      hn::StoreU(hn::Add(hn::LoadU(d, out + j), hn::LoadU(d, block + j)), d, out + j);
    }
  }
  for (int j = 0; j < cols; ++j) out[j] = static_cast<float>(highest[j] + std::log(static_cast<double>(out[j])));
}

float highest_of(const float* row, const float* col_shift, int cols) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  auto highest = hn::Add(hn::LoadU(d, row), hn::LoadU(d, col_shift));
  for (int j = lanes; j < cols; j += lanes) {
    highest = hn::Max(highest, hn::Add(hn::LoadU(d, row + j), hn::LoadU(d, col_shift + j)));
  }
  return hn::GetLane(hn::MaxOfLanes(d, highest));
}

void row_log_sum_exp(tensor::ConstMatrix x, const float* col_shift, float* out) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int cols = x.stride;
  for (int i = 0; i < x.rows; ++i) {
    const float* row = x.row(i);
    const float highest = highest_of(row, col_shift, cols);
    const auto base = hn::Set(d, highest);
    auto sum = hn::Zero(d);
    for (int j = 0; j < cols; j += lanes) {
      sum = hn::Add(sum, hn::Exp(d, hn::Sub(hn::Add(hn::LoadU(d, row + j), hn::LoadU(d, col_shift + j)), base)));
    }
    out[i] = static_cast<float>(highest + std::log(static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)))));
  }
}

void row_softmax(tensor::Matrix x, const float* col_shift, const float* mass, float* out) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int cols = x.stride;
  for (int i = 0; i < x.rows; ++i) {
    float* row = x.row(i);
    const float highest = highest_of(row, col_shift, cols);
    const auto base = hn::Set(d, highest);
    auto sum = hn::Zero(d);
    for (int j = 0; j < cols; j += lanes) {
      const auto e = hn::Exp(d, hn::Sub(hn::Add(hn::LoadU(d, row + j), hn::LoadU(d, col_shift + j)), base));
      hn::StoreU(e, d, row + j);
      sum = hn::Add(sum, e);
    }
    const float total = hn::GetLane(hn::SumOfLanes(d, sum));
    const auto scale = hn::Set(d, mass[i] / total);
    for (int j = 0; j < cols; j += lanes) hn::StoreU(hn::Mul(hn::LoadU(d, row + j), scale), d, row + j);
    out[i] = static_cast<float>(highest + std::log(static_cast<double>(total)));
  }
}

// y[j..j+3][c..c+2*lanes) += sum over tokens [first, last): eight sums in registers.
void add_tile(tensor::ConstMatrix p, tensor::ConstMatrix f, tensor::Matrix y, int first, int last, int j, int c) {
  const D d;
  const auto add_to = [d](auto sum, float* at) { hn::StoreU(hn::Add(hn::LoadU(d, at), sum), d, at); };
  const int next = c + static_cast<int>(hn::Lanes(d));
  auto a0 = hn::Zero(d);
  auto a1 = hn::Zero(d);
  auto b0 = hn::Zero(d);
  auto b1 = hn::Zero(d);
  auto c0 = hn::Zero(d);
  auto c1 = hn::Zero(d);
  auto d0 = hn::Zero(d);
  auto d1 = hn::Zero(d);
  for (int i = first; i < last; ++i) {
    const float* weight = p.row(i) + j;
    const auto f0 = hn::LoadU(d, f.row(i) + c);
    const auto f1 = hn::LoadU(d, f.row(i) + next);
    const auto wa = hn::Set(d, weight[0]);
    const auto wb = hn::Set(d, weight[1]);
    const auto wc = hn::Set(d, weight[2]);
    const auto wd = hn::Set(d, weight[3]);
    a0 = hn::MulAdd(wa, f0, a0);
    a1 = hn::MulAdd(wa, f1, a1);
    b0 = hn::MulAdd(wb, f0, b0);
    b1 = hn::MulAdd(wb, f1, b1);
    c0 = hn::MulAdd(wc, f0, c0);
    c1 = hn::MulAdd(wc, f1, c1);
    d0 = hn::MulAdd(wd, f0, d0);
    d1 = hn::MulAdd(wd, f1, d1);
  }
  add_to(a0, y.row(j) + c);
  add_to(a1, y.row(j) + next);
  add_to(b0, y.row(j + 1) + c);
  add_to(b1, y.row(j + 1) + next);
  add_to(c0, y.row(j + 2) + c);
  add_to(c1, y.row(j + 2) + next);
  add_to(d0, y.row(j + 3) + c);
  add_to(d1, y.row(j + 3) + next);
}

void weighted_sums(tensor::ConstMatrix p, tensor::ConstMatrix f, tensor::Matrix y) {
  const D d;
  const int step = 2 * static_cast<int>(hn::Lanes(d));
  for (int j = 0; j < y.rows; ++j) std::fill_n(y.row(j), y.cols, 0.0F);
  const int tiled_rows = y.rows / 4 * 4;
  const int tiled_cols = y.cols / step * step;
  for (int first = 0; first < p.rows; first += kBlock) {
    const int last = std::min(p.rows, first + kBlock);
    for (int j = 0; j < tiled_rows; j += 4) {
      for (int c = 0; c < tiled_cols; c += step) add_tile(p, f, y, first, last, j, c);
    }
    // What the tiles leave: the last columns of every row, and the last rows whole.
    for (int j = 0; j < y.rows; ++j) {
      for (int i = first; i < last; ++i) {
        const float weight = p.row(i)[j];
        for (int c = j < tiled_rows ? tiled_cols : 0; c < y.cols; ++c) y.row(j)[c] += weight * f.row(i)[c];
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace revisit::aggregate
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace revisit::aggregate {
namespace {
HWY_EXPORT(column_log_sum_exp);
HWY_EXPORT(row_log_sum_exp);
HWY_EXPORT(row_softmax);
HWY_EXPORT(weighted_sums);
}  // namespace

void column_log_sum_exp(tensor::ConstMatrix x, const float* row_shift, float* out, float* scratch) {
  HWY_DYNAMIC_DISPATCH(column_log_sum_exp)(x, row_shift, out, scratch);
}
void row_log_sum_exp(tensor::ConstMatrix x, const float* col_shift, float* out) {
  HWY_DYNAMIC_DISPATCH(row_log_sum_exp)(x, col_shift, out);
}
void row_softmax(tensor::Matrix x, const float* col_shift, const float* mass, float* out) {
  HWY_DYNAMIC_DISPATCH(row_softmax)(x, col_shift, mass, out);
}
void weighted_sums(tensor::ConstMatrix weights, tensor::ConstMatrix values, tensor::Matrix y) {
  HWY_DYNAMIC_DISPATCH(weighted_sums)(weights, values, y);
}

namespace reference {

void column_log_sum_exp(tensor::ConstMatrix x, const float* row_shift, float* out) {
  for (int j = 0; j < x.cols; ++j) {
    double highest = -INFINITY;
    for (int i = 0; i < x.rows; ++i) highest = std::max(highest, static_cast<double>(x.row(i)[j]) + row_shift[i]);
    double sum = 0;
    for (int i = 0; i < x.rows; ++i) sum += std::exp(static_cast<double>(x.row(i)[j]) + row_shift[i] - highest);
    out[j] = static_cast<float>(highest + std::log(sum));
  }
}

void row_log_sum_exp(tensor::ConstMatrix x, const float* col_shift, float* out) {
  for (int i = 0; i < x.rows; ++i) {
    double highest = -INFINITY;
    for (int j = 0; j < x.cols; ++j) highest = std::max(highest, static_cast<double>(x.row(i)[j]) + col_shift[j]);
    double sum = 0;
    for (int j = 0; j < x.cols; ++j) sum += std::exp(static_cast<double>(x.row(i)[j]) + col_shift[j] - highest);
    out[i] = static_cast<float>(highest + std::log(sum));
  }
}

void weighted_sums(tensor::ConstMatrix weights, tensor::ConstMatrix values, tensor::Matrix y) {
  for (int j = 0; j < y.rows; ++j) {
    for (int c = 0; c < y.cols; ++c) {
      double sum = 0;
      for (int i = 0; i < weights.rows; ++i) sum += static_cast<double>(weights.row(i)[j]) * values.row(i)[c];
      y.row(j)[c] = static_cast<float>(sum);
    }
  }
}

}  // namespace reference
}  // namespace revisit::aggregate
#endif

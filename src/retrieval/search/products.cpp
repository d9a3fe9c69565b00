// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A task takes 32 rows of x and 128 of p, piece by piece of k, so that a piece of x stays in the L2 cache and four of p in
// the L1. The innermost block is 2 x 4: eight sums hide the latency of a multiply-add.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "retrieval/search/products.cpp"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>
//
#include <algorithm>
#include <cstddef>

#include "retrieval/search/products.h"
#include "core/tensor/parallel.h"

HWY_BEFORE_NAMESPACE();
namespace revisit::retrieval::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;

HWY_INLINE float Total(hn::Vec<D> v) { return hn::GetLane(hn::SumOfLanes(D(), v)); }

// sums[r * 4 + c] = <x_r, p_c> over count values.
void TwoByFourProducts(const float* x0, const float* x1, const float* const* p, int count, float* sums) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  auto a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
  const float* p0 = p[0];
  const float* p1 = p[1];
  const float* p2 = p[2];
  const float* p3 = p[3];
  int i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto x = hn::LoadU(d, x0 + i);
    const auto y = hn::LoadU(d, x1 + i);
    auto v = hn::LoadU(d, p0 + i);
    a0 = hn::MulAdd(x, v, a0);
    b0 = hn::MulAdd(y, v, b0);
    v = hn::LoadU(d, p1 + i);
    a1 = hn::MulAdd(x, v, a1);
    b1 = hn::MulAdd(y, v, b1);
    v = hn::LoadU(d, p2 + i);
    a2 = hn::MulAdd(x, v, a2);
    b2 = hn::MulAdd(y, v, b2);
    v = hn::LoadU(d, p3 + i);
    a3 = hn::MulAdd(x, v, a3);
    b3 = hn::MulAdd(y, v, b3);
  }
  sums[0] = Total(a0);
  sums[1] = Total(a1);
  sums[2] = Total(a2);
  sums[3] = Total(a3);
  sums[4] = Total(b0);
  sums[5] = Total(b1);
  sums[6] = Total(b2);
  sums[7] = Total(b3);
  for (; i < count; ++i) {
    for (int c = 0; c < 4; ++c) {
      sums[c] += x0[i] * p[c][i];
      sums[4 + c] += x1[i] * p[c][i];
    }
  }
}

// Rows x_begin..x_end of x by rows p_begin..p_end of p. A block at the edge computes a row twice and drops the second result.
void AddTile(const float* x, int x_begin, int x_end, const float* p, int p_begin, int p_end, int m, int k, float* out) {
  constexpr int kPiece = 1024;
  const auto at = [k](const float* base, int row, int column) {
    return base + static_cast<std::size_t>(row) * static_cast<std::size_t>(k) + column;
  };
  for (int begin = 0; begin < k; begin += kPiece) {
    const int count = std::min(kPiece, k - begin);
    for (int j = p_begin; j < p_end; j += 4) {
      const float* four[4];
      for (int c = 0; c < 4; ++c) four[c] = at(p, std::min(j + c, p_end - 1), begin);
      for (int i = x_begin; i < x_end; i += 2) {
        float sums[8];
        TwoByFourProducts(at(x, i, begin), at(x, std::min(i + 1, x_end - 1), begin), four, count, sums);
        for (int r = 0; r < 2 && i + r < x_end; ++r) {
          float* to = out + static_cast<std::size_t>(i + r) * static_cast<std::size_t>(m) + j;
          for (int c = 0; c < 4 && j + c < p_end; ++c) to[c] += sums[r * 4 + c];
        }
      }
    }
  }
}

}  // namespace revisit::retrieval::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace revisit::retrieval {

HWY_EXPORT(AddTile);

void add_products(const float* x, int n, const float* p, int m, int k, float* out) {
  constexpr int kRowsOfX = 32;
  constexpr int kRowsOfP = 128;
  const int tiles_x = (n + kRowsOfX - 1) / kRowsOfX;
  const int tiles_p = (m + kRowsOfP - 1) / kRowsOfP;
  tensor::parallel_for(tiles_x * tiles_p, [&](int task) {
    const int i = task / tiles_p * kRowsOfX;
    const int j = task % tiles_p * kRowsOfP;
    HWY_DYNAMIC_DISPATCH(AddTile)(x, i, std::min(n, i + kRowsOfX), p, j, std::min(m, j + kRowsOfP), m, k, out);
  });
}

namespace reference {

void add_products(const float* x, int n, const float* p, int m, int k, float* out) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) {
      double sum = 0;
      for (int c = 0; c < k; ++c) {
        sum += static_cast<double>(x[static_cast<std::size_t>(i) * static_cast<std::size_t>(k) + static_cast<std::size_t>(c)]) *
               static_cast<double>(p[static_cast<std::size_t>(j) * static_cast<std::size_t>(k) + static_cast<std::size_t>(c)]);
      }
      out[static_cast<std::size_t>(i) * static_cast<std::size_t>(m) + static_cast<std::size_t>(j)] += static_cast<float>(sum);
    }
  }
}

}  // namespace reference
}  // namespace revisit::retrieval
#endif  // HWY_ONCE

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Codes are widened to i16 once per row and multiplied pairwise into i32, which is exact. One query is bound by memory: it
// streams each row once. Many queries are bound by arithmetic: pieces of 4 queries stay in the L1 cache while rows stream by.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "retrieval/search/scan.cpp"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>
//
#include <algorithm>

#include "retrieval/search/scan.h"

HWY_BEFORE_NAMESPACE();
namespace revisit::retrieval::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D16 = hn::CappedTag<std::int16_t, 64>;
using D8 = hn::Rebind<std::int8_t, D16>;
using D32 = hn::RepartitionToWide<D16>;
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;

constexpr int kPiece = 2048;  // codes of a query in one pass: 4 KB, so that 4 queries fit the L1 cache with room for rows

HWY_INLINE V16 widened(const std::int8_t* codes) { return hn::PromoteTo(D16(), hn::LoadU(D8(), codes)); }

// a * b summed in pairs into sum; `high` takes the part some instruction sets keep separate.
HWY_INLINE V32 multiply_add(V16 a, V16 b, V32 sum, V32& high) { return hn::ReorderWidenMulAccumulate(D32(), a, b, sum, high); }

HWY_INLINE std::int32_t total(V32 a) { return hn::GetLane(hn::SumOfLanes(D32(), a)); }

std::int32_t OneProduct(const std::int8_t* row, const std::int16_t* query, int count) {
  const D16 d16;
  const int lanes = static_cast<int>(hn::Lanes(d16));
  V32 a = hn::Zero(D32()), b = a, c = a, d = a, high = a;
  int i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    a = multiply_add(widened(row + i), hn::LoadU(d16, query + i), a, high);
    b = multiply_add(widened(row + i + lanes), hn::LoadU(d16, query + i + lanes), b, high);
    c = multiply_add(widened(row + i + 2 * lanes), hn::LoadU(d16, query + i + 2 * lanes), c, high);
    d = multiply_add(widened(row + i + 3 * lanes), hn::LoadU(d16, query + i + 3 * lanes), d, high);
  }
  for (; i < count; i += lanes) a = multiply_add(widened(row + i), hn::LoadU(d16, query + i), a, high);
  return total(hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, d)), high));
}

// Two rows by four queries over `count` codes; out[r * stride + j] grows by the products.
void TwoByFour(const std::int8_t* row0, const std::int8_t* row1, const std::int16_t* queries, int query_stride, int count,
               std::int32_t* out, int stride) {
  const D16 d16;
  const int lanes = static_cast<int>(hn::Lanes(d16));
  const std::int16_t* q0 = queries;
  const std::int16_t* q1 = q0 + query_stride;
  const std::int16_t* q2 = q1 + query_stride;
  const std::int16_t* q3 = q2 + query_stride;
  V32 a0 = hn::Zero(D32()), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
  V32 ha0 = a0, ha1 = a0, ha2 = a0, ha3 = a0, hb0 = a0, hb1 = a0, hb2 = a0, hb3 = a0;  // untouched, so free, on x86
  for (int i = 0; i < count; i += lanes) {
    const V16 x = widened(row0 + i);
    const V16 y = widened(row1 + i);
    V16 q = hn::LoadU(d16, q0 + i);
    a0 = multiply_add(x, q, a0, ha0);
    b0 = multiply_add(y, q, b0, hb0);
    q = hn::LoadU(d16, q1 + i);
    a1 = multiply_add(x, q, a1, ha1);
    b1 = multiply_add(y, q, b1, hb1);
    q = hn::LoadU(d16, q2 + i);
    a2 = multiply_add(x, q, a2, ha2);
    b2 = multiply_add(y, q, b2, hb2);
    q = hn::LoadU(d16, q3 + i);
    a3 = multiply_add(x, q, a3, ha3);
    b3 = multiply_add(y, q, b3, hb3);
  }
  out[0] += total(hn::Add(a0, ha0));
  out[1] += total(hn::Add(a1, ha1));
  out[2] += total(hn::Add(a2, ha2));
  out[3] += total(hn::Add(a3, ha3));
  out[stride] += total(hn::Add(b0, hb0));
  out[stride + 1] += total(hn::Add(b1, hb1));
  out[stride + 2] += total(hn::Add(b2, hb2));
  out[stride + 3] += total(hn::Add(b3, hb3));
}

void IntegerProducts(const std::int8_t* rows, std::size_t row_stride, int row_count, const std::int16_t* query_codes, int queries,
                     int count, std::int32_t* products) {
  const int by_four = row_count >= 2 ? queries / 4 * 4 : 0;
  const int by_two = row_count / 2 * 2;
  for (int r = 0; r < row_count; ++r) {
    const std::int8_t* row = rows + static_cast<std::size_t>(r) * row_stride;
    const int first = r < by_two ? by_four : 0;
    for (int j = 0; j < first; ++j) products[r * queries + j] = 0;
    for (int j = first; j < queries; ++j) {
      products[r * queries + j] = OneProduct(row, query_codes + static_cast<std::size_t>(j) * count, count);
    }
  }
  for (int begin = 0; begin < count; begin += kPiece) {
    const int piece = std::min(kPiece, count - begin);
    for (int j = 0; j < by_four; j += 4) {
      for (int r = 0; r < by_two; r += 2) {
        const std::int8_t* row = rows + static_cast<std::size_t>(r) * row_stride + begin;
        TwoByFour(row, row + row_stride, query_codes + static_cast<std::size_t>(j) * count + begin, count, piece,
                  products + r * queries + j, queries);
      }
    }
  }
}

#if HWY_HAVE_FLOAT64
Distance DistanceOf(const float* a, const float* b, int count) {
  const hn::ScalableTag<double> d64;
  const hn::Rebind<float, decltype(d64)> d32;
  const int lanes = static_cast<int>(hn::Lanes(d64));
  auto squares0 = hn::Zero(d64), squares1 = squares0, dot0 = squares0, dot1 = squares0;
  int i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    const auto x0 = hn::PromoteTo(d64, hn::LoadU(d32, a + i));
    const auto y0 = hn::PromoteTo(d64, hn::LoadU(d32, b + i));
    const auto x1 = hn::PromoteTo(d64, hn::LoadU(d32, a + i + lanes));
    const auto y1 = hn::PromoteTo(d64, hn::LoadU(d32, b + i + lanes));
    const auto difference0 = hn::Sub(x0, y0);
    const auto difference1 = hn::Sub(x1, y1);
    squares0 = hn::MulAdd(difference0, difference0, squares0);
    squares1 = hn::MulAdd(difference1, difference1, squares1);
    dot0 = hn::MulAdd(x0, y0, dot0);
    dot1 = hn::MulAdd(x1, y1, dot1);
  }
  Distance out{hn::GetLane(hn::SumOfLanes(d64, hn::Add(squares0, squares1))),
               hn::GetLane(hn::SumOfLanes(d64, hn::Add(dot0, dot1)))};
  for (; i < count; ++i) {
    const double x = a[i];
    const double y = b[i];
    out.squared += (x - y) * (x - y);
    out.dot += x * y;
  }
  return out;
}
#else
Distance DistanceOf(const float* a, const float* b, int count) { return reference::distance(a, b, count); }
#endif

float RoughSquaredDistance(const float* a, const float* b, int count) {
  const hn::ScalableTag<float> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  int i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const auto d0 = hn::Sub(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
    const auto d1 = hn::Sub(hn::LoadU(d, a + i + lanes), hn::LoadU(d, b + i + lanes));
    const auto d2 = hn::Sub(hn::LoadU(d, a + i + 2 * lanes), hn::LoadU(d, b + i + 2 * lanes));
    const auto d3 = hn::Sub(hn::LoadU(d, a + i + 3 * lanes), hn::LoadU(d, b + i + 3 * lanes));
    s0 = hn::MulAdd(d0, d0, s0);
    s1 = hn::MulAdd(d1, d1, s1);
    s2 = hn::MulAdd(d2, d2, s2);
    s3 = hn::MulAdd(d3, d3, s3);
  }
  float out = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
  for (; i < count; ++i) out += (a[i] - b[i]) * (a[i] - b[i]);
  return out;
}

}  // namespace revisit::retrieval::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace revisit::retrieval {

HWY_EXPORT(IntegerProducts);
HWY_EXPORT(DistanceOf);
HWY_EXPORT(RoughSquaredDistance);

void integer_products(const std::int8_t* rows, std::size_t row_stride, int row_count, const std::int16_t* query_codes,
                      int queries, int count, std::int32_t* products) {
  HWY_DYNAMIC_DISPATCH(IntegerProducts)(rows, row_stride, row_count, query_codes, queries, count, products);
}

Distance distance(const float* a, const float* b, int count) { return HWY_DYNAMIC_DISPATCH(DistanceOf)(a, b, count); }

float rough_squared_distance(const float* a, const float* b, int count) {
  return HWY_DYNAMIC_DISPATCH(RoughSquaredDistance)(a, b, count);
}

namespace reference {

void integer_products(const std::int8_t* rows, std::size_t row_stride, int row_count, const std::int16_t* query_codes,
                      int queries, int count, std::int32_t* products) {
  for (int r = 0; r < row_count; ++r) {
    for (int j = 0; j < queries; ++j) {
      std::int64_t sum = 0;
      for (int i = 0; i < count; ++i) {
        sum += std::int64_t{rows[static_cast<std::size_t>(r) * row_stride + static_cast<std::size_t>(i)]} *
               query_codes[static_cast<std::size_t>(j) * static_cast<std::size_t>(count) + static_cast<std::size_t>(i)];
      }
      products[r * queries + j] = static_cast<std::int32_t>(sum);
    }
  }
}

Distance distance(const float* a, const float* b, int count) {
  Distance out{0, 0};
  for (int i = 0; i < count; ++i) {
    const double x = a[i];
    const double y = b[i];
    out.squared += (x - y) * (x - y);
    out.dot += x * y;
  }
  return out;
}

}  // namespace reference
}  // namespace revisit::retrieval
#endif  // HWY_ONCE

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Rows to bytes and bfloat16, and the endings of a product, in Highway.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tensor/narrow_rows.cpp"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>
//
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/tensor/gelu-inl.h"
#include "core/tensor/narrow_rows.h"

#ifndef REVISIT_NARROW_ROWS
#define REVISIT_NARROW_ROWS
namespace revisit::tensor {
namespace {

/// Into how many parts a row is cut for its rotation: a power of two up to 8, each part of whole vectors. 0: none.
int parts_of(int count) {
  constexpr int kWidest = 16;  // lanes of a vector
  if (count % kWidest != 0) return 0;
  int parts = 8;
  while (count % (parts * kWidest) != 0) parts /= 2;
  return parts;
}

}  // namespace
}  // namespace revisit::tensor
#endif

HWY_BEFORE_NAMESPACE();
namespace revisit::tensor::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
using Integers = hn::RebindToSigned<D>;

#if HWY_TARGET == HWY_SCALAR
void RotateRow(const float* row, int count, float* to) {
  reference::rotate_row(std::vector<float>(row, row + count).data(), count, to);
}
#else
// One value of each of kAcross parts of the row by one butterfly after another, then four neighbours.
template <int kAcross>
void RotateAs(const float* row, int count, float* to) {
  const D d;
  const hn::RebindToUnsigned<D> bits;
  const int lanes = static_cast<int>(hn::Lanes(d)), part = count / kAcross;
  const V factor = hn::Set(d, 1.0F / std::sqrt(4.0F * kAcross));
  const auto lane = hn::Iota(bits, 0);
  const auto odd = hn::ShiftLeft<31>(lane), upper = hn::ShiftLeft<31>(hn::ShiftRight<1>(lane));
  const V odd_signs = hn::Xor(hn::Set(d, 1.0F), hn::BitCast(d, odd)), upper_signs = hn::Xor(factor, hn::BitCast(d, upper));
  for (int i = 0; i < part; i += lanes) {
    V v[kAcross];
#pragma GCC unroll 8
    for (int a = 0; a < kAcross; ++a) v[a] = hn::LoadU(d, row + a * part + i);
#pragma GCC unroll 3
    for (int apart = 1; apart < kAcross; apart *= 2) {
#pragma GCC unroll 8
      for (int a = 0; a < kAcross; ++a) {
        if ((a & apart) != 0) continue;
        const V left = v[a], right = v[a + apart];
        v[a] = hn::Add(left, right);
        v[a + apart] = hn::Sub(left, right);
      }
    }
#pragma GCC unroll 8
    for (int a = 0; a < kAcross; ++a) {
      const V pairs = hn::MulAdd(v[a], odd_signs, hn::Shuffle2301(v[a]));
      hn::StoreU(hn::MulAdd(pairs, upper_signs, hn::Mul(factor, hn::Shuffle1032(pairs))), d, to + a * part + i);
    }
  }
}

void RotateRow(const float* row, int count, float* to) {
  switch (parts_of(count)) {
    case 0: std::copy(row, row + count, to); return;
    case 1: return RotateAs<1>(row, count, to);
    case 2: return RotateAs<2>(row, count, to);
    case 4: return RotateAs<4>(row, count, to);
    default: return RotateAs<8>(row, count, to);
  }
}
#endif

float QuantiseRow(const float* row, int count, int zero, std::byte* to, std::ptrdiff_t bytes) {
  const D d;
  const hn::RebindToUnsigned<D> bits;
  const hn::Rebind<std::int8_t, D> small;
  const int lanes = static_cast<int>(hn::Lanes(d));
  constexpr std::uint32_t kMagnitude = 0x7fffffff, kInfinity = 0x7f800000;  // as bits they grow with the number; NaN is largest
  auto one = hn::Zero(bits), other = one;
  const auto magnitude = [&](int i)
                             HWY_ATTR { return hn::And(hn::BitCast(bits, hn::LoadU(d, row + i)), hn::Set(bits, kMagnitude)); };
  int i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    one = hn::Max(one, magnitude(i));
    other = hn::Max(other, magnitude(i + lanes));
  }
  std::uint32_t highest = hn::GetLane(hn::MaxOfLanes(bits, hn::Max(one, other)));
  for (; i < count; ++i) highest = std::max(highest, std::bit_cast<std::uint32_t>(row[i]) & kMagnitude);
  const float largest = std::bit_cast<float>(highest);
  const float inverse = highest > 0 && highest < kInfinity ? 127.0F / largest : 0.0F;
  const V inverse_v = hn::Set(d, inverse), end = hn::Set(d, 127.0F);
  const auto sign = hn::Set(small, static_cast<std::int8_t>(zero));
  const auto quantised = [&](V x) HWY_ATTR {
    const V q = hn::Max(hn::Min(hn::Mul(x, inverse_v), end), hn::Neg(end));  // the inverse of a denormal number is too large
    return hn::Xor(hn::DemoteTo(small, hn::NearestInt(q)), sign);
  };
  auto* out = reinterpret_cast<std::int8_t*>(to);
  i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(quantised(hn::LoadU(d, row + i)), small, out + i);
  if (i < count) {
    HWY_ALIGN float edge[HWY_MAX_BYTES / sizeof(float)] = {};
    std::copy(row + i, row + count, edge);
    HWY_ALIGN std::int8_t last[HWY_MAX_BYTES];
    hn::Store(quantised(hn::Load(d, edge)), small, last);
    std::copy(last, last + (count - i), out + i);
  }
  std::memset(out + count, 0, static_cast<std::size_t>(bytes - count));
  return highest == 0 ? 1.0F : largest / 127.0F;
}

void BfloatRow(const float* row, int count, std::byte* to, std::ptrdiff_t bytes) {
  const D d;
  const hn::RebindToUnsigned<D> bits;
  const hn::Rebind<std::uint16_t, D> small;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto rounded = [&](V x) HWY_ATTR {
    const auto raw = hn::BitCast(bits, x);
    const auto odd = hn::And(hn::ShiftRight<16>(raw), hn::Set(bits, 1));
    const auto up = hn::ShiftRight<16>(hn::Add(raw, hn::Add(odd, hn::Set(bits, 0x7fff))));
    return hn::DemoteTo(small, hn::BitCast(hn::RebindToSigned<D>(), up));
  };
  auto* out = reinterpret_cast<std::uint16_t*>(to);
  int i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(rounded(hn::LoadU(d, row + i)), small, out + i);
  if (i < count) {
    HWY_ALIGN float edge[HWY_MAX_BYTES / sizeof(float)] = {};
    std::copy(row + i, row + count, edge);
    HWY_ALIGN std::uint16_t last[HWY_MAX_BYTES / sizeof(std::uint16_t)];
    hn::Store(rounded(hn::Load(d, edge)), small, last);
    std::copy(last, last + (count - i), out + i);
  }
  std::memset(out + count, 0, static_cast<std::size_t>(bytes) - sizeof(std::uint16_t) * static_cast<std::size_t>(count));
}

// y = ending(value(row, column)), a vector of columns of all rows after the other; the last may be cut short. values(column)
// gives the function of the rows.
template <Linear::After kAfter, typename Values>
HWY_INLINE void finish_as(int rows, float* y, std::ptrdiff_t stride, int count, Values values) {
  using After = Linear::After;
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  constexpr bool kAdds = kAfter == After::kAdd || kAfter == After::kAddRelu;
  const auto ended = [&](V v) HWY_ATTR {
    if constexpr (kAfter == After::kRelu || kAfter == After::kAddRelu) return hn::Max(v, hn::Zero(d));
    if constexpr (kAfter == After::kGelu) return gelu_of(v);
    return v;
  };
  int c = 0;
  for (; c + lanes <= count; c += lanes) {
    const auto value = values(c);
    float* to = y + c;
    for (int r = 0; r < rows; ++r, to += stride) {
      V v = value(r);
      if constexpr (kAdds) v = hn::Add(v, hn::LoadU(d, to));
      hn::StoreU(ended(v), d, to);
    }
  }
  if (c == count) return;
  const auto some = hn::FirstN(d, static_cast<std::size_t>(count - c));
  const auto value = values(c);
  float* to = y + c;
  for (int r = 0; r < rows; ++r, to += stride) {
    V v = value(r);
    if constexpr (kAdds) v = hn::Add(v, hn::MaskedLoad(some, d, to));
    hn::BlendedStore(ended(v), some, d, to);
  }
}

template <typename Values>
HWY_INLINE void finish(Linear::After after, int rows, float* y, std::ptrdiff_t stride, int count, Values values) {
  using After = Linear::After;
  switch (after) {
    case After::kRelu: return finish_as<After::kRelu>(rows, y, stride, count, values);
    case After::kGelu: return finish_as<After::kGelu>(rows, y, stride, count, values);
    case After::kAdd: return finish_as<After::kAdd>(rows, y, stride, count, values);
    case After::kAddRelu: return finish_as<After::kAddRelu>(rows, y, stride, count, values);
    default: return finish_as<After::kNothing>(rows, y, stride, count, values);
  }
}

void FinishBytes(const std::int32_t* sums, int rows, const float* row_scales, const ByteColumns& columns, Linear::After after,
                 float* y, std::ptrdiff_t stride, int count) {
  const D d;
  finish(after, rows, y, stride, count, [&](int c) HWY_ATTR {
    const V scale = hn::LoadU(d, columns.scale + c), bias = hn::LoadU(d, columns.bias + c);
    const std::int32_t* from = sums + c;
    return [=](int r) HWY_ATTR {
      const V sum = hn::ConvertTo(D(), hn::LoadU(Integers(), from + r * kPanel));
      return hn::MulAdd(sum, hn::Mul(hn::Set(D(), row_scales[r]), scale), bias);
    };
  });
}

void FinishBfloats(const float* sums, int rows, Linear::After after, float* y, std::ptrdiff_t stride, int count) {
  finish(after, rows, y, stride, count, [&](int c) HWY_ATTR {
    const float* from = sums + c;
    return [=](int r) HWY_ATTR { return hn::LoadU(D(), from + r * kPanel); };
  });
}

}  // namespace revisit::tensor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace revisit::tensor {
namespace {
HWY_EXPORT(RotateRow);
HWY_EXPORT(QuantiseRow);
HWY_EXPORT(BfloatRow);
HWY_EXPORT(FinishBytes);
HWY_EXPORT(FinishBfloats);
}  // namespace

void rotate_row(const float* row, int count, float* to) { HWY_DYNAMIC_DISPATCH(RotateRow)(row, count, to); }
float quantise_row(const float* row, int count, int zero, std::byte* to, std::ptrdiff_t bytes) {
  return HWY_DYNAMIC_DISPATCH(QuantiseRow)(row, count, zero, to, bytes);
}
void bfloat_row(const float* row, int count, std::byte* to, std::ptrdiff_t bytes) {
  HWY_DYNAMIC_DISPATCH(BfloatRow)(row, count, to, bytes);
}
void finish_bytes(const std::int32_t* sums, int rows, const float* row_scales, const ByteColumns& columns, Linear::After after,
                  float* y, std::ptrdiff_t stride, int count) {
  HWY_DYNAMIC_DISPATCH(FinishBytes)(sums, rows, row_scales, columns, after, y, stride, count);
}
void finish_bfloats(const float* sums, int rows, Linear::After after, float* y, std::ptrdiff_t stride, int count) {
  HWY_DYNAMIC_DISPATCH(FinishBfloats)(sums, rows, after, y, stride, count);
}

namespace reference {

void rotate_row(const float* row, int count, float* to) {
  const int parts = parts_of(count);
  if (parts == 0) return std::copy_n(row, count, to), void();
  const int part = count / parts;
  for (int i = 0; i < count; ++i) {
    double sum = 0;
    for (int other = 0; other < 4 * parts; ++other) {
      const int from = other / 4 * part + i % part / 4 * 4 + other % 4;
      const unsigned shared = static_cast<unsigned>(i / part & other / 4) << 2U | static_cast<unsigned>(i % part % 4 & other % 4);
      sum += (std::popcount(shared) % 2 == 0 ? 1 : -1) * static_cast<double>(row[from]);
    }
    to[i] = static_cast<float>(sum / std::sqrt(4.0 * parts));
  }
}

float quantise_row(const float* row, int count, int zero, std::byte* to, std::ptrdiff_t bytes) {
  float largest = 0;
  for (int i = 0; i < count; ++i) largest = std::max(largest, std::abs(row[i]));
  const float scale = largest > 0 ? largest / 127 : 1.0F;
  std::fill(to, to + bytes, std::byte{0});
  for (int i = 0; i < count; ++i)
    to[i] = static_cast<std::byte>(std::clamp(static_cast<int>(std::nearbyint(row[i] / scale)), -127, 127) + zero);
  return scale;
}

}  // namespace reference
}  // namespace revisit::tensor
#endif  // HWY_ONCE

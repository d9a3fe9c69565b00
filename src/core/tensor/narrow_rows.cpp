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
void RotateRow(const float* row, int count, float* to) { reference::rotate_row(std::vector<float>(row, row + count).data(), count, to); }
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
    for (int a = 0; a < kAcross; ++a) v[a] = hn::LoadU(d, row + a * part + i);
    for (int apart = 1; apart < kAcross; apart *= 2) {
      for (int a = 0; a < kAcross; ++a) {
        if ((a & apart) != 0) continue;
        const V left = v[a], right = v[a + apart];
        v[a] = hn::Add(left, right);
        v[a + apart] = hn::Sub(left, right);
      }
    }
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

ByteRow QuantiseRow(const float* row, int count, int levels, std::byte* to, std::ptrdiff_t bytes) {
  const D d;
  const hn::Rebind<std::uint8_t, D> small;
  const int lanes = static_cast<int>(hn::Lanes(d));
  V low_v = hn::Zero(d), high_v = hn::Zero(d);  // 0 is always within
  V poison_v = hn::Zero(d);                     // NaN or infinity of the row must not get lost among bytes
  int i = 0;
  for (; i + lanes <= count; i += lanes) {
    const V x = hn::LoadU(d, row + i);
    low_v = hn::Min(low_v, x);
    high_v = hn::Max(high_v, x);
    poison_v = hn::MulAdd(x, hn::Zero(d), poison_v);
  }
  float poison = hn::GetLane(hn::SumOfLanes(d, poison_v));
  float low = hn::GetLane(hn::MinOfLanes(d, low_v)), high = hn::GetLane(hn::MaxOfLanes(d, high_v));
  for (; i < count; ++i) {
    low = std::min(low, row[i]);
    high = std::max(high, row[i]);
    poison += row[i] * 0;
  }
  const float top = static_cast<float>(levels);
  const float scale = (high > low ? (high - low) / top : 1.0F) + poison;
  const float inverse = 1.0F / scale;
  const float zero = std::clamp(std::nearbyint(-low * inverse), 0.0F, top);
  const V inverse_v = hn::Set(d, inverse), zero_v = hn::Set(d, zero), top_v = hn::Set(d, top);
  const auto quantised = [&](V x) HWY_ATTR {
    const V q = hn::Max(hn::Min(hn::MulAdd(x, inverse_v, zero_v), top_v), hn::Zero(d));
    return hn::DemoteTo(small, hn::NearestInt(q));
  };
  auto* out = reinterpret_cast<std::uint8_t*>(to);
  i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(quantised(hn::LoadU(d, row + i)), small, out + i);
  if (i < count) {
    HWY_ALIGN float edge[HWY_MAX_BYTES / sizeof(float)] = {};
    std::copy(row + i, row + count, edge);
    HWY_ALIGN std::uint8_t last[HWY_MAX_BYTES];
    hn::Store(quantised(hn::Load(d, edge)), small, last);
    std::copy(last, last + (count - i), out + i);
  }
  std::memset(out + count, 0, static_cast<std::size_t>(bytes - count));
  return {scale, std::isfinite(zero) ? static_cast<std::int32_t>(zero) : 0};
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

// y = ending(value(row, column)) for vectors of columns; the last may be cut short.
template <Linear::After kAfter, typename Value>
HWY_INLINE void finish_as(int rows, float* y, std::ptrdiff_t stride, int count, Value value) {
  using After = Linear::After;
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto ended = [&](V v) HWY_ATTR {
    if constexpr (kAfter == After::kRelu) return hn::Max(v, hn::Zero(d));
    if constexpr (kAfter == After::kGelu) return gelu_of(v);
    return v;
  };
  for (int r = 0; r < rows; ++r, y += stride) {
    int c = 0;
    for (; c + lanes <= count; c += lanes) {
      V v = ended(value(r, c));
      if constexpr (kAfter == After::kAdd) v = hn::Add(v, hn::LoadU(d, y + c));
      hn::StoreU(v, d, y + c);
    }
    if (c == count) continue;
    const auto some = hn::FirstN(d, static_cast<std::size_t>(count - c));
    V v = ended(value(r, c));
    if constexpr (kAfter == After::kAdd) v = hn::Add(v, hn::MaskedLoad(some, d, y + c));
    hn::BlendedStore(v, some, d, y + c);
  }
}

template <typename Value>
HWY_INLINE void finish(Linear::After after, int rows, float* y, std::ptrdiff_t stride, int count, Value value) {
  using After = Linear::After;
  switch (after) {
    case After::kRelu: return finish_as<After::kRelu>(rows, y, stride, count, value);
    case After::kGelu: return finish_as<After::kGelu>(rows, y, stride, count, value);
    case After::kAdd: return finish_as<After::kAdd>(rows, y, stride, count, value);
    default: return finish_as<After::kNothing>(rows, y, stride, count, value);
  }
}

void FinishBytes(const std::int32_t* sums, int rows, const ByteRow* of_rows, const ByteColumns& columns, Linear::After after,
                 float* y, std::ptrdiff_t stride, int count) {
  const D d;
  const Integers integers;
  finish(after, rows, y, stride, count, [&](int r, int c) HWY_ATTR {
    const auto offset = hn::Mul(hn::Set(integers, of_rows[r].zero), hn::LoadU(integers, columns.sums + c));
    const auto exact = hn::Sub(hn::LoadU(integers, sums + r * kPanel + c), offset);
    const V scale = hn::Mul(hn::Set(d, of_rows[r].scale), hn::LoadU(d, columns.scale + c));
    return hn::MulAdd(hn::ConvertTo(d, exact), scale, hn::LoadU(d, columns.bias + c));
  });
}

void FinishBfloats(const float* sums, int rows, const float* bias, Linear::After after, float* y, std::ptrdiff_t stride, int count) {
  const D d;
  finish(after, rows, y, stride, count,
         [&](int r, int c) HWY_ATTR { return hn::Add(hn::LoadU(d, sums + r * kPanel + c), hn::LoadU(d, bias + c)); });
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
ByteRow quantise_row(const float* row, int count, int levels, std::byte* to, std::ptrdiff_t bytes) {
  return HWY_DYNAMIC_DISPATCH(QuantiseRow)(row, count, levels, to, bytes);
}
void bfloat_row(const float* row, int count, std::byte* to, std::ptrdiff_t bytes) {
  HWY_DYNAMIC_DISPATCH(BfloatRow)(row, count, to, bytes);
}
void finish_bytes(const std::int32_t* sums, int rows, const ByteRow* of_rows, const ByteColumns& columns, Linear::After after,
                  float* y, std::ptrdiff_t stride, int count) {
  HWY_DYNAMIC_DISPATCH(FinishBytes)(sums, rows, of_rows, columns, after, y, stride, count);
}
void finish_bfloats(const float* sums, int rows, const float* bias, Linear::After after, float* y, std::ptrdiff_t stride, int count) {
  HWY_DYNAMIC_DISPATCH(FinishBfloats)(sums, rows, bias, after, y, stride, count);
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

ByteRow quantise_row(const float* row, int count, int levels, std::byte* to, std::ptrdiff_t bytes) {
  const float low = std::min(0.0F, *std::min_element(row, row + count)), high = std::max(0.0F, *std::max_element(row, row + count));
  const float scale = high > low ? (high - low) / static_cast<float>(levels) : 1.0F;
  const float zero = std::nearbyint(-low / scale);
  std::fill(to, to + bytes, std::byte{0});
  for (int i = 0; i < count; ++i)
    to[i] = static_cast<std::byte>(std::clamp(static_cast<int>(std::nearbyint(row[i] / scale + zero)), 0, levels));
  return {scale, static_cast<std::int32_t>(zero)};
}

}  // namespace reference
}  // namespace revisit::tensor
#endif  // HWY_ONCE

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Queries, keys and values of a head are rounded and put in the kernel's order once. Then a few queries at a time meet all keys, 32
// of them a panel, their shares become bfloat16 rows, and these meet the values: nothing of the size tokens x tokens exists.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tensor/narrow_attention.cpp"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>
//
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/tensor/exponential-inl.h"
#include "core/tensor/narrow_attention.h"
#include "core/tensor/narrow_rows.h"
#include "core/tensor/parallel.h"

HWY_BEFORE_NAMESPACE();
namespace revisit::tensor::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// The scores of one query, 32 to a panel and panels `panel_floats` apart, become shares up to their sum, which is returned:
// rounded to bfloat16 into `shares`, 0 behind `count`. `scale` includes log2 e. With kWeighed a share counts mass[key] times;
// mass is aligned to a vector and reaches to the end of one.
template <bool kWeighed>
HWY_INLINE float shares_of(const float* scores, std::ptrdiff_t panel_floats, int count, float scale, std::uint16_t* shares,
                           int padded, [[maybe_unused]] const float* mass) {
  const D d;
  const hn::RebindToUnsigned<D> bits;
  const hn::Rebind<std::uint16_t, D> small;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int whole = count / kPanel * kPanel;  // keys of panels without a gap
  const auto at = [&](int key) HWY_ATTR { return scores + key / kPanel * panel_floats + key % kPanel; };
  const auto exists = [&](int key) HWY_ATTR { return hn::FirstN(d, static_cast<std::size_t>(std::max(count - key, 0))); };

  V highest_v = hn::Set(d, -3e38F), other_v = highest_v;
  for (int p = 0; p < whole; p += kPanel) {
    const float* panel = at(p);
    for (int c = 0; c < kPanel; c += 2 * lanes) {
      highest_v = hn::Max(highest_v, hn::Load(d, panel + c));
      other_v = hn::Max(other_v, hn::Load(d, panel + c + lanes));
    }
  }
  for (int key = whole; key < count; key += lanes) {
    highest_v = hn::Max(highest_v, hn::IfThenElse(exists(key), hn::Load(d, at(key)), highest_v));
  }
  const V highest = hn::Set(d, hn::GetLane(hn::MaxOfLanes(d, hn::Max(highest_v, other_v))) * scale), scale_v = hn::Set(d, scale);
  const auto store = [&](V share, int key) HWY_ATTR {
    const auto top = hn::ShiftRight<16>(hn::Add(hn::BitCast(bits, share), hn::Set(bits, 0x8000)));  // to nearest
    hn::StoreU(hn::DemoteTo(small, hn::BitCast(hn::RebindToSigned<D>(), top)), small, shares + key);
  };
  const auto weighed = [&](V share, [[maybe_unused]] int key) HWY_ATTR {
    if constexpr (kWeighed) return hn::Mul(share, hn::Load(d, mass + key));
    return share;
  };
  V sum = hn::Zero(d), other = sum;
  for (int p = 0; p < whole; p += kPanel) {
    const float* panel = at(p);
    for (int c = 0; c < kPanel; c += 2 * lanes) {
      const V left = weighed(power_of_two(hn::MulSub(hn::Load(d, panel + c), scale_v, highest)), p + c);
      const V right = weighed(power_of_two(hn::MulSub(hn::Load(d, panel + c + lanes), scale_v, highest)), p + c + lanes);
      sum = hn::Add(sum, left);
      other = hn::Add(other, right);
      store(left, p + c);
      store(right, p + c + lanes);
    }
  }
  int key = whole;
  for (; key < count; key += lanes) {
    const V share =
        hn::IfThenElseZero(exists(key), weighed(power_of_two(hn::MulSub(hn::Load(d, at(key)), scale_v, highest)), key));
    sum = hn::Add(sum, share);
    store(share, key);
  }
  std::fill(shares + key, shares + std::max(padded, key), std::uint16_t{0});
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(sum, other)));
}

float Shares(const float* scores, std::ptrdiff_t panel_floats, int count, float scale, std::uint16_t* shares, int padded,
             const float* mass) {
  return mass == nullptr ? shares_of<false>(scores, panel_floats, count, scale, shares, padded, mass)
                         : shares_of<true>(scores, panel_floats, count, scale, shares, padded, mass);
}

// Values of two tokens as pairs, one after the other; `second` may be null.
void PairUp(const std::uint16_t* first, const std::uint16_t* second, int count, std::uint32_t* to) {
  const hn::RebindToUnsigned<D> bits;
  const hn::Rebind<std::uint16_t, D> small;
  const int lanes = static_cast<int>(hn::Lanes(small));
  int c = 0;
  for (; second != nullptr && c + lanes <= count; c += lanes) {
    const auto low = hn::PromoteTo(bits, hn::LoadU(small, first + c)), high = hn::PromoteTo(bits, hn::LoadU(small, second + c));
    hn::StoreU(hn::Or(low, hn::ShiftLeft<16>(high)), bits, to + c);
  }
  for (; c < count; ++c) to[c] = first[c] | (second != nullptr ? static_cast<std::uint32_t>(second[c]) << 16 : 0);
}

void Scaled(const float* from, int count, float factor, float* to) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const V factor_v = hn::Set(d, factor);
  int c = 0;
  for (; c + lanes <= count; c += lanes) hn::StoreU(hn::Mul(hn::Load(d, from + c), factor_v), d, to + c);
  for (; c < count; ++c) to[c] = from[c] * factor;
}

}  // namespace revisit::tensor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace revisit::tensor {
namespace {

HWY_EXPORT(PairUp);
HWY_EXPORT(Scaled);
HWY_EXPORT(Shares);

constexpr int kMostRows = 32;  // of a kernel

std::ptrdiff_t round_up(std::ptrdiff_t value, std::ptrdiff_t step) { return (value + step - 1) / step * step; }

// Sizes of one head in bytes.
struct NarrowHead {
  int tokens, size;            // size: values of a query
  std::ptrdiff_t query_bytes;  // of a query in whole steps
  std::ptrdiff_t share_bytes;  // of a row of shares
  int key_panels, value_panels;

  NarrowHead(int token_count, int head_size)
      : tokens(token_count),
        size(head_size),
        query_bytes(round_up(2 * head_size, kStepBytes)),
        share_bytes(round_up(2 * round_up(token_count, kPanel), kStepBytes)),
        key_panels((token_count + kPanel - 1) / kPanel),
        value_panels((head_size + kPanel - 1) / kPanel) {}
  std::ptrdiff_t key_panel() const { return query_bytes * kPanel; }
  std::ptrdiff_t value_panel() const { return share_bytes * kPanel; }
  std::ptrdiff_t keys() const { return key_panels * key_panel(); }
  std::ptrdiff_t all() const { return keys() + value_panels * value_panel(); }
};

/// Keys and values of one head from rows [q | k | v] of bfloat16, `stride` values apart.
void pack(const std::uint16_t* rows, std::ptrdiff_t stride, const NarrowHead& head, int index, int width, std::byte* keys) {
  std::byte* values = keys + head.keys();
  std::memset(keys, 0, static_cast<std::size_t>(head.all()));
  for (int t = 0; t < head.tokens; ++t) {
    const std::uint16_t* from = rows + t * stride + width + index * head.size;
    auto* key = reinterpret_cast<std::uint32_t*>(keys + t / kPanel * head.key_panel()) + t % kPanel;
    for (int c = 0; c + 1 < head.size; c += 2, key += kPanel) std::memcpy(key, from + c, sizeof(*key));
    if (head.size % 2 != 0) *key = from[head.size - 1];
  }
  for (int t = 0; t < head.tokens; t += 2) {
    const std::uint16_t* from = rows + t * stride + 2 * width + index * head.size;
    for (int p = 0; p < head.value_panels; ++p) {
      HWY_DYNAMIC_DISPATCH(PairUp)
      (from + p * kPanel, t + 1 < head.tokens ? from + stride + p * kPanel : nullptr, std::min(kPanel, head.size - p * kPanel),
       reinterpret_cast<std::uint32_t*>(values + p * head.value_panel()) + t / 2 * kPanel);
    }
  }
}

float to_float(std::uint16_t bfloat) { return std::bit_cast<float>(static_cast<std::uint32_t>(bfloat) << 16); }

}  // namespace

void narrow_attention(const NarrowKernel& kernel, ConstMatrix qkv, int heads, Matrix out, Arena& arena, float* cls_row,
                      const float* key_mass) {
  const Arena::Scope scope(arena);
  const NarrowHead head(qkv.rows, out.cols / heads);
  const auto memory = [&](std::ptrdiff_t bytes) {
    return reinterpret_cast<std::byte*>(arena.floats(static_cast<std::size_t>(bytes) / sizeof(float) + 1));
  };
  // The queries of a head are read where they lie, in whole steps: what follows them meets weights of zero.
  const std::ptrdiff_t stride = round_up(2 * qkv.cols, kStepBytes) + kStepBytes;
  std::byte* rounded = memory((round_up(qkv.rows, kMostRows) + 1) * stride);
  parallel_for(qkv.rows, [&](int t) { bfloat_row(qkv.row(t), qkv.cols, rounded + t * stride, stride); });
  std::byte* packed = memory(heads * head.all());
  parallel_for_worker(heads, [&](int h, int /*worker*/) {
    pack(reinterpret_cast<const std::uint16_t*>(rounded), stride / 2, head, h, out.cols, packed + h * head.all());
  });

  constexpr int kPanelFloats = kMostRows * kPanel;
  const std::ptrdiff_t score_bytes = std::ptrdiff_t{head.key_panels} * kPanelFloats * 4;
  const std::ptrdiff_t room = score_bytes + kMostRows * head.share_bytes;
  std::byte* scratch = memory(threads() * room);
  float* cls_rows = cls_row != nullptr ? arena.floats(static_cast<std::size_t>(heads) * static_cast<std::size_t>(qkv.rows)) : nullptr;
  float* mass = nullptr;
  if (key_mass != nullptr) {
    mass = arena.floats(static_cast<std::size_t>(head.key_panels) * kPanel);
    std::fill(std::copy_n(key_mass, qkv.rows, mass), mass + std::ptrdiff_t{head.key_panels} * kPanel, 0.0F);
  }
  const float scale = std::log2(std::exp(1.0F)) / std::sqrt(static_cast<float>(head.size));
  const int together = std::max(1, 2 * kMostRows / kernel.most_rows);  // groups of rows a thread takes at once
  const int step = together * kernel.most_rows;
  const int tiles = (qkv.rows + step - 1) / step;

  parallel_for_worker(heads * tiles, [&](int item, int worker) {
    const int h = item / tiles;
    const std::byte* queries = rounded + 2 * h * head.size;
    const std::byte* keys = packed + h * head.all();
    const std::byte* values = keys + head.keys();
    auto* scores = reinterpret_cast<float*>(scratch + worker * room);
    std::byte* shares = scratch + worker * room + score_bytes;
    if (kernel.begin != nullptr) kernel.begin();
    const int last = std::min(qkv.rows, (item % tiles + 1) * step);
    for (int first = item % tiles * step; first < last; first += kernel.most_rows) {
      const int rows = std::min(kernel.most_rows, last - first);
      for (int p = 0; p < head.key_panels; ++p) {
        kernel.multiply(queries + first * stride, stride, rows, keys + p * head.key_panel(),
                        static_cast<int>(head.query_bytes / kStepBytes), kNoStart, scores + p * kPanelFloats);
      }
      float sums[kMostRows];
      for (int r = 0; r < rows; ++r) {
        auto* row = reinterpret_cast<std::uint16_t*>(shares + r * head.share_bytes);
        sums[r] = HWY_DYNAMIC_DISPATCH(Shares)(scores + r * kPanel, kPanelFloats, head.tokens, scale, row,
                                               static_cast<int>(head.share_bytes / 2), mass);
      }
      if (cls_rows != nullptr && first == 0) {
        const auto* row = reinterpret_cast<const std::uint16_t*>(shares);
        for (int t = 0; t < head.tokens; ++t) cls_rows[std::ptrdiff_t{h} * head.tokens + t] = to_float(row[t]) / sums[0];
      }
      for (int p = 0; p < head.value_panels; ++p) {
        kernel.multiply(shares, head.share_bytes, rows, values + p * head.value_panel(),
                        static_cast<int>(head.share_bytes / kStepBytes), kNoStart, scores);
        const int columns = std::min(kPanel, head.size - p * kPanel);
        for (int r = 0; r < rows; ++r) {
          HWY_DYNAMIC_DISPATCH(Scaled)
          (scores + r * kPanel, columns, 1.0F / sums[r], out.row(first + r) + h * head.size + p * kPanel);
        }
      }
    }
    if (kernel.end != nullptr) kernel.end();
  });

  if (cls_row == nullptr) return;
  for (int t = 0; t < qkv.rows; ++t) {
    float sum = 0;
    for (int h = 0; h < heads; ++h) sum += cls_rows[std::ptrdiff_t{h} * qkv.rows + t];
    cls_row[t] = sum / static_cast<float>(heads);
  }
}

}  // namespace revisit::tensor
#endif  // HWY_ONCE

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The innermost loop of every f32 matrix product: a few rows by two vectors of columns, summed in registers. Included once per
// instruction set, after foreach_target.h.
#if defined(REVISIT_TENSOR_REGISTER_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef REVISIT_TENSOR_REGISTER_TILE_INL_H_
#undef REVISIT_TENSOR_REGISTER_TILE_INL_H_
#else
#define REVISIT_TENSOR_REGISTER_TILE_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace revisit::tensor::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// Rows of a tile: their sums, two vectors of the panel and a broadcast value fill the registers, 32 of them on AVX-512 and Arm, 16
// on AVX2.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr int kRegisterRows = 12;
#else
constexpr int kRegisterRows = 6;
#endif

HWY_INLINE std::ptrdiff_t register_columns() { return 2 * static_cast<std::ptrdiff_t>(hn::Lanes(D())); }

// What happens to sums on their way into c, vector by vector, and to rows of a tile once they are there: nothing here, more in a
// linear layer.
struct NoEnding {
  HWY_INLINE V operator()(V sums, int /*vector*/) const { return sums; }
  HWY_INLINE void finish(float* /*c*/, std::ptrdiff_t /*c_stride*/, int /*rows*/) const {}
};

// c (rows x columns) = a (rows x depth) * panel (depth x columns), or += with `add`, through `ending`. The panel is aligned to a
// vector.
template <int kRows, typename Ending>
HWY_INLINE void register_tile(const float* HWY_RESTRICT a, std::ptrdiff_t a_stride, const float* HWY_RESTRICT panel, int depth,
                              bool add, float* HWY_RESTRICT c, std::ptrdiff_t c_stride, const Ending& ending) {
  const D d;
  const std::ptrdiff_t lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d));
  V left[kRows], right[kRows];
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) left[r] = right[r] = hn::Zero(d);
  constexpr int kTriples = (kRows + 2) / 3;  // a register for every third row: the two after it are reached from there
  const float* from[kTriples];
#pragma GCC unroll 4
  for (int i = 0; i < kTriples; ++i) from[i] = a + 3 * i * a_stride;
  for (int k = 0; k < depth; ++k) {
    const V b0 = hn::Load(d, panel);
    const V b1 = hn::Load(d, panel + lanes);
    panel += 2 * lanes;
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) {
      const V x = hn::Set(d, from[r / 3][r % 3 * a_stride + k]);
      left[r] = hn::MulAdd(x, b0, left[r]);
      right[r] = hn::MulAdd(x, b1, right[r]);
    }
  }
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
    float* to = c + r * c_stride;
    if (add) {
      left[r] = hn::Add(left[r], hn::LoadU(d, to));
      right[r] = hn::Add(right[r], hn::LoadU(d, to + lanes));
    }
    hn::StoreU(ending(left[r], 0), d, to);
    hn::StoreU(ending(right[r], 1), d, to + lanes);
  }
}

// The last rows, fewer than kRegisterRows: kRows or fewer.
template <int kRows, typename Ending>
HWY_INLINE void last_rows(const float* a, int rows, std::ptrdiff_t a_stride, const float* panel, int depth, bool add, float* c,
                          std::ptrdiff_t c_stride, const Ending& ending) {
  if constexpr (kRows > 0) {
    if (rows == kRows) return register_tile<kRows>(a, a_stride, panel, depth, add, c, c_stride, ending);
    last_rows<kRows - 1>(a, rows, a_stride, panel, depth, add, c, c_stride, ending);
  }
}

// The same for any number of rows.
template <typename Ending>
HWY_INLINE void panel_product(const float* a, int rows, std::ptrdiff_t a_stride, const float* panel, int depth, bool add, float* c,
                              std::ptrdiff_t c_stride, const Ending& ending) {
  for (; rows >= kRegisterRows; rows -= kRegisterRows, a += kRegisterRows * a_stride, c += kRegisterRows * c_stride) {
    register_tile<kRegisterRows>(a, a_stride, panel, depth, add, c, c_stride, ending);
    ending.finish(c, c_stride, kRegisterRows);
  }
  last_rows<kRegisterRows - 1>(a, rows, a_stride, panel, depth, add, c, c_stride, ending);
  ending.finish(c, c_stride, rows);
}

}  // namespace revisit::tensor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The innermost loop of every matrix product: up to six rows by two vectors of columns, summed in registers. Included once per
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

constexpr int kRegisterRows = 6;  // 6 x 2 sums, two vectors of the panel and a broadcast value fill the 16 registers of AVX2

HWY_INLINE std::ptrdiff_t register_columns() { return 2 * static_cast<std::ptrdiff_t>(hn::Lanes(D())); }

// c (rows x columns) = a (rows x depth) * panel (depth x columns), or += with `add`. The panel is aligned to a vector. The
// sums have names because vectors of unknown size cannot sit in arrays.
template <int kRows>
HWY_INLINE void register_tile(const float* HWY_RESTRICT a, std::ptrdiff_t a_stride, const float* HWY_RESTRICT panel, int depth,
                              bool add, float* HWY_RESTRICT c, std::ptrdiff_t c_stride) {
  const D d;
  const std::ptrdiff_t lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d));
  V c00 = hn::Zero(d), c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00;
  V c30 = c00, c31 = c00, c40 = c00, c41 = c00, c50 = c00, c51 = c00;
  for (int k = 0; k < depth; ++k) {
    const V b0 = hn::Load(d, panel);
    const V b1 = hn::Load(d, panel + lanes);
    panel += 2 * lanes;
    const auto step = [&](int row, V& left, V& right) HWY_ATTR {
      const V x = hn::Set(d, a[row * a_stride + k]);
      left = hn::MulAdd(x, b0, left);
      right = hn::MulAdd(x, b1, right);
    };
    step(0, c00, c01);
    if constexpr (kRows > 1) step(1, c10, c11);
    if constexpr (kRows > 2) step(2, c20, c21);
    if constexpr (kRows > 3) step(3, c30, c31);
    if constexpr (kRows > 4) step(4, c40, c41);
    if constexpr (kRows > 5) step(5, c50, c51);
  }
  const auto store = [&](int row, V left, V right) HWY_ATTR {
    float* to = c + row * c_stride;
    if (add) {
      left = hn::Add(left, hn::LoadU(d, to));
      right = hn::Add(right, hn::LoadU(d, to + lanes));
    }
    hn::StoreU(left, d, to);
    hn::StoreU(right, d, to + lanes);
  };
  store(0, c00, c01);
  if constexpr (kRows > 1) store(1, c10, c11);
  if constexpr (kRows > 2) store(2, c20, c21);
  if constexpr (kRows > 3) store(3, c30, c31);
  if constexpr (kRows > 4) store(4, c40, c41);
  if constexpr (kRows > 5) store(5, c50, c51);
}

// The same for any number of rows.
HWY_INLINE void panel_product(const float* a, int rows, std::ptrdiff_t a_stride, const float* panel, int depth, bool add,
                              float* c, std::ptrdiff_t c_stride) {
  for (; rows >= kRegisterRows; rows -= kRegisterRows, a += kRegisterRows * a_stride, c += kRegisterRows * c_stride) {
    register_tile<kRegisterRows>(a, a_stride, panel, depth, add, c, c_stride);
  }
  switch (rows) {
    case 1: return register_tile<1>(a, a_stride, panel, depth, add, c, c_stride);
    case 2: return register_tile<2>(a, a_stride, panel, depth, add, c, c_stride);
    case 3: return register_tile<3>(a, a_stride, panel, depth, add, c, c_stride);
    case 4: return register_tile<4>(a, a_stride, panel, depth, add, c, c_stride);
    case 5: return register_tile<5>(a, a_stride, panel, depth, add, c, c_stride);
    default: return;
  }
}

}  // namespace revisit::tensor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

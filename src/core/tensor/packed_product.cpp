// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Panels of weights against all rows: a panel is read from memory once a call, the rows come from the caches.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tensor/packed_product.cpp"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "core/tensor/gelu-inl.h"
#include "core/tensor/packed_product.h"
#include "core/tensor/parallel.h"
#include "core/tensor/register_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace revisit::tensor::HWY_NAMESPACE {

constexpr int kSlice = 768;  // inputs summed in registers in one go: 256 and 384 were slower by 5 to 15 %, 1024 gained nothing

int WeightPanelWidth() { return static_cast<int>(register_columns()); }

// Columns [first, first + count) of y, a vector at a time; beyond the last column zeros are computed and not stored.
template <typename Function>
HWY_INLINE void for_columns(Matrix y, int first, int count, const float* bias, Function function) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  HWY_ALIGN float edge[HWY_MAX_BYTES / sizeof(float)] = {};
  for (int r = 0; r < y.rows; ++r) {
    float* at = y.row(r) + first;
    int i = 0;
    for (; i + lanes <= count; i += lanes) hn::StoreU(function(hn::LoadU(d, at + i), hn::LoadU(d, bias + i)), d, at + i);
    if (i == count) continue;
    std::copy_n(at + i, count - i, edge);
    hn::Store(function(hn::Load(d, edge), hn::LoadU(d, bias + i)), d, edge);
    std::copy_n(edge, count - i, at + i);
  }
}

// y += x W^T for one slice of the inputs and one panel. Only the last panel has fewer columns than a register tile.
HWY_INLINE void add_slice(ConstMatrix x, int from, int count, const float* panel, bool add, Matrix y, int column, int columns) {
  const int width = WeightPanelWidth();
  if (columns == width) return panel_product(x.row(0) + from, x.rows, x.stride, panel, count, add, y.row(0) + column, y.stride);
  HWY_ALIGN float edge[kRegisterRows * 2 * HWY_MAX_BYTES / sizeof(float)];
  for (int r = 0; r < x.rows; r += kRegisterRows) {
    const int rows = std::min(kRegisterRows, x.rows - r);
    panel_product(x.row(r) + from, rows, x.stride, panel, count, false, edge, width);
    for (int i = 0; i < rows; ++i) {
      float* to = y.row(r + i) + column;
      for (int c = 0; c < columns; ++c) to[c] = edge[i * width + c] + (add ? to[c] : 0.0F);
    }
  }
}

// Panels [first, last) of y = after(x W^T + b).
void WeightPanels(ConstMatrix x, const float* panels, const float* bias, Linear::After after, Matrix y, int first, int last) {
  using After = Linear::After;
  const int width = WeightPanelWidth();
  const int slices = std::max(1, (x.cols + kSlice - 1) / kSlice);
  const auto edge_of = [&](int slice) { return static_cast<int>(static_cast<std::ptrdiff_t>(x.cols) * slice / slices); };
  for (int s = 0; s < slices; ++s) {
    for (int p = first; p < last; ++p) {
      const int column = p * width;
      const int columns = std::min(width, y.cols - column);
      const float* panel = panels + (static_cast<std::ptrdiff_t>(p) * x.cols + edge_of(s)) * width;
      add_slice(x, edge_of(s), edge_of(s + 1) - edge_of(s), panel, s > 0 || after == After::kAdd, y, column, columns);
      if (s + 1 < slices) continue;
      const float* b = bias + column;
      switch (after) {
        case After::kRelu:
          for_columns(y, column, columns, b, [](V v, V add) HWY_ATTR { return hn::Max(hn::Add(v, add), hn::Zero(D())); });
          break;
        case After::kGelu: for_columns(y, column, columns, b, [](V v, V add) HWY_ATTR { return gelu_of(hn::Add(v, add)); }); break;
        default: for_columns(y, column, columns, b, [](V v, V add) HWY_ATTR { return hn::Add(v, add); });
      }
    }
  }
}

}  // namespace revisit::tensor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace revisit::tensor {
namespace {

HWY_EXPORT(WeightPanelWidth);
HWY_EXPORT(WeightPanels);

// Threads take groups of panels as they become free: a core that others use as well then does less of the work.
constexpr int kGroupsPerThread = 8;

}  // namespace

PackedProduct::PackedProduct(const float* weight, const float* bias, int in, int out, Linear::After after, const float* out_scale)
    : in_(in), out_(out), after_(after) {
  const int width = HWY_DYNAMIC_DISPATCH(WeightPanelWidth)();
  const int panels = (out + width - 1) / width;
  panels_ = big_buffer(static_cast<std::size_t>(panels) * static_cast<std::size_t>(in) * static_cast<std::size_t>(width));
  bias_ = big_buffer(static_cast<std::size_t>(panels) * static_cast<std::size_t>(width));
  parallel_for(panels, [&](int p) {
    float* panel = panels_.get() + static_cast<std::ptrdiff_t>(p) * in * width;
    constexpr int kBlock = 16;  // inputs at a time, so that reads and writes both stay within few cache lines
    for (int from = 0; from < in; from += kBlock) {
      const int to = std::min(in, from + kBlock);
      for (int j = 0; j < width; ++j) {
        const int o = p * width + j;
        const float scale = out_scale != nullptr && o < out ? out_scale[o] : 1.0F;
        const float* row = weight + static_cast<std::ptrdiff_t>(o) * in;
        for (int k = from; k < to; ++k) panel[static_cast<std::ptrdiff_t>(k) * width + j] = o < out ? row[k] * scale : 0.0F;
      }
    }
  });
  for (int o = 0; o < panels * width; ++o) {
    bias_.get()[o] = bias == nullptr || o >= out ? 0.0F : bias[o] * (out_scale != nullptr ? out_scale[o] : 1.0F);
  }
}

void PackedProduct::operator()(ConstMatrix x, Matrix y, Arena& /*scratch of the other kernel*/) const {
  const int width = HWY_DYNAMIC_DISPATCH(WeightPanelWidth)();
  const int panels = (out_ + width - 1) / width;
  const int groups = std::min(panels, kGroupsPerThread * threads());
  parallel_for_worker(groups, [&](int g, int /*worker*/) {
    HWY_DYNAMIC_DISPATCH(WeightPanels)
    (x, panels_.get(), bias_.get(), after_, y, panels * g / groups, panels * (g + 1) / groups);
  });
}

}  // namespace revisit::tensor
#endif  // HWY_ONCE

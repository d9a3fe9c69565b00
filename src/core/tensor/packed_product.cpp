// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Panels of weights against all rows: a panel is read from memory once a call, the rows come from the caches.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tensor/packed_product.cpp"
#include "core/tensor/packed_product.h"

#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "core/tensor/gelu-inl.h"
#include "core/tensor/parallel.h"
#include "core/tensor/pieces.h"
#include "core/tensor/register_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace revisit::tensor::HWY_NAMESPACE {

int WeightPanelWidth() { return static_cast<int>(register_columns()); }

// Bias and activation.
template <Linear::After kAfter>
struct LayerEnding {
  const float* bias;  // of the panel
  HWY_INLINE V operator()(V sums, int vector) const {
    const D d;
    const V v = hn::Add(sums, hn::LoadU(d, bias + vector * static_cast<std::ptrdiff_t>(hn::Lanes(d))));
    if constexpr (kAfter == Linear::After::kRelu) return hn::Max(v, hn::Zero(d));
    return v;
  }
  // GELU takes many registers, which the sums have.
  HWY_INLINE void finish(float* c, std::ptrdiff_t c_stride, int rows) const {
    if constexpr (kAfter == Linear::After::kGelu) {
      const D d;
      const std::ptrdiff_t lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d));
#pragma GCC unroll 1
      for (; rows > 0; --rows, c += c_stride) {
        hn::StoreU(gelu_of(hn::LoadU(d, c)), d, c);
        hn::StoreU(gelu_of(hn::LoadU(d, c + lanes)), d, c + lanes);
      }
    }
  }
};

// One panel of y, or y += with `add`, over some of the inputs. Only the last panel has fewer columns than a register tile.
template <typename Ending>
HWY_INLINE void multiply_panel(ConstMatrix x, int from, int count, const float* panel, bool add, Matrix y, int column,
                               int columns, const Ending& ending) {
  const int width = WeightPanelWidth();
  if (columns == width)
    return panel_product(x.row(0) + from, x.rows, x.stride, panel, count, add, y.row(0) + column, y.stride, ending);
  HWY_ALIGN float edge[kRegisterRows * 2 * HWY_MAX_BYTES / sizeof(float)] = {};
  for (int r = 0; r < x.rows; r += kRegisterRows) {
    const int rows = std::min(kRegisterRows, x.rows - r);
    for (int i = 0; i < rows; ++i) std::copy_n(y.row(r + i) + column, columns, edge + i * width);
    panel_product(x.row(r) + from, rows, x.stride, panel, count, add, edge, width, ending);
    for (int i = 0; i < rows; ++i) std::copy_n(edge + i * width, columns, y.row(r + i) + column);
  }
}

// Panels [first, last) of y = after(x W^T + b).
void WeightPanels(ConstMatrix x, const float* panels, const float* bias, Linear::After after, Matrix y, int first, int last) {
  using After = Linear::After;
  const int width = WeightPanelWidth();
  const int slices = std::max(1, (x.cols + kSlice - 1) / kSlice);
  const auto edge_of = [&](int slice) { return static_cast<int>(static_cast<std::ptrdiff_t>(x.cols) * slice / slices); };
  for (int s = 0; s < slices; ++s) {
    const int from = edge_of(s), count = edge_of(s + 1) - from;
    const bool add = s > 0 || after == After::kAdd || after == After::kAddRelu;
    for (int p = first; p < last; ++p) {
      const int column = p * width, columns = std::min(width, y.cols - column);
      const float* panel = panels + (static_cast<std::ptrdiff_t>(p) * x.cols + from) * width;
      const auto multiply = [&](const auto& ending)
                                HWY_ATTR { multiply_panel(x, from, count, panel, add, y, column, columns, ending); };
      if (s + 1 < slices) {
        multiply(NoEnding());
      } else if (after == After::kRelu || after == After::kAddRelu) {
        multiply(LayerEnding<After::kRelu>{bias + column});
      } else if (after == After::kGelu) {
        multiply(LayerEnding<After::kGelu>{bias + column});
      } else {
        multiply(LayerEnding<After::kNothing>{bias + column});
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

constexpr double kPiece = 1e7;  // multiply-adds
constexpr int kNear = 150'000;  // values of x that are read again and again: they stay in the second-level cache
constexpr int kRowStep = 48;    // whole register tiles on every instruction set

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

void PackedProduct::operator()(ConstMatrix x, Matrix y, Arena& /*scratch of other kernels*/) const {
  const int width = HWY_DYNAMIC_DISPATCH(WeightPanelWidth)();
  const int panels = (out_ + width - 1) / width;
  const int most_rows = kNear / std::min(in_, kSlice);
  for_pieces(x.rows, panels, static_cast<double>(in_) * width / kPiece, most_rows, kRowStep, [&](const Piece& piece) {
    HWY_DYNAMIC_DISPATCH(WeightPanels)
    ({x.row(piece.first_row), piece.rows, x.cols, x.stride}, panels_.get(), bias_.get(), after_,
     y.rows_from(piece.first_row, piece.rows), piece.first_panel, piece.first_panel + piece.panels);
  });
}

}  // namespace revisit::tensor
#endif  // HWY_ONCE

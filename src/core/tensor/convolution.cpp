// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Cells below windows become rows of a product, a tile of rows at a time, which the product then finds in the caches.
#include "core/tensor/convolution.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/tensor/parallel.h"

namespace revisit::tensor {
namespace {

constexpr int kNearSlice = 150'000;   // values of a tile that one slice of a product reads again and again: second-level cache
constexpr int kTileValues = 500'000;  // of a whole tile
constexpr int kTileStep = 48;         // cells: whole register tiles on every instruction set
constexpr int kSliceDepth = 768;      // of a product in f32

/// (out, in, side, side) -> (out, side, side, in): as gathered rows lie.
std::vector<float> cells_first(const float* weight, int in, int out, int side) {
  const auto area = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  const auto channels = static_cast<std::size_t>(in);
  std::vector<float> to(static_cast<std::size_t>(out) * channels * area);
  for (std::size_t o = 0; o < static_cast<std::size_t>(out); ++o) {
    for (std::size_t c = 0; c < channels; ++c) {
      for (std::size_t i = 0; i < area; ++i) to[(o * area + i) * channels + c] = weight[(o * channels + c) * area + i];
    }
  }
  return to;
}

int tile_cells(int depth) {
  const int most = std::min(kNearSlice / std::min(depth, kSliceDepth), kTileValues / depth);
  return std::max(kTileStep, most / kTileStep * kTileStep);
}

}  // namespace

Convolution::Convolution(const float* weight, const float* bias, int in, int out, const Window& window, Linear::After after,
                         Precision precision)
    : window_(window),
      in_(in),
      tiles_in_parallel_(precision == Precision::kF32),
      product_(cells_first(weight, in, out, window.side).data(), bias, in * window.side * window.side, out, after, nullptr,
               precision) {}

FeatureMap Convolution::made_for(const FeatureMap& x, Arena& arena) const {
  const int rows = window_.places(x.rows), columns = window_.places(x.columns);
  return {arena.matrix(rows * columns, out()), rows, columns};
}

/// What lies below the window at output cell `cell`, zeros outside the map.
void Convolution::gather(const FeatureMap& x, int columns, int cell, float* to) const {
  const int top = cell / columns * window_.stride - window_.padding;
  const int left = cell % columns * window_.stride - window_.padding;
  const int first = std::max(0, -left), last = std::min(window_.side, x.columns - left);  // columns of the window in the map
  const std::ptrdiff_t line = static_cast<std::ptrdiff_t>(window_.side) * in_;
  for (int y = top; y < top + window_.side; ++y, to += line) {
    if (y < 0 || y >= x.rows || first >= last) {
      std::fill_n(to, line, 0.0F);
      continue;
    }
    float* from = to + static_cast<std::ptrdiff_t>(first) * in_;
    float* until = to + static_cast<std::ptrdiff_t>(last) * in_;
    std::fill(to, from, 0.0F);
    std::copy_n(x.cells.row(y * x.columns + left + first), until - from, from);
    std::fill(until, to + line, 0.0F);
  }
}

void Convolution::operator()(const FeatureMap& x, const FeatureMap& y, Arena& arena) const {
  const int cells = y.cells.rows, depth = product_.in();
  if (window_.side == 1 && window_.stride == 1 && window_.padding == 0) return product_(x.cells, y.cells, arena);

  const Arena::Scope scope(arena);
  const int tall = tile_cells(depth), tiles = (cells + tall - 1) / tall;
  constexpr int kTilesPerThread = 4;  // at least, so that all end together
  if (tiles_in_parallel_ && (threads() == 1 || tiles >= kTilesPerThread * threads())) {
    const Matrix scratch = arena.matrix(threads() * tall, depth);
    parallel_for_worker(tiles, [&](int tile, int worker) {
      const Team alone(1);
      const int first = tile * tall, count = std::min(tall, cells - first);
      const Matrix below = scratch.rows_from(worker * tall, count);
      for (int i = 0; i < count; ++i) gather(x, y.columns, first + i, below.row(i));
      product_(below, y.cells.rows_from(first, count), arena);  // in f32, which takes nothing from the arena
    });
    return;
  }
  // Few cells, or a product that takes memory of its own: all threads work on one tile after the other.
  const int together = std::min(cells, tall * kTilesPerThread * threads());
  const Matrix scratch = arena.matrix(together, depth);
  for (int first = 0; first < cells; first += together) {
    const Matrix below = scratch.rows_from(0, std::min(together, cells - first));
    parallel_for(below.rows, [&](int i) { gather(x, y.columns, first + i, below.row(i)); });
    product_(below, y.cells.rows_from(first, below.rows), arena);
  }
}

FeatureMap max_pool(const FeatureMap& x, const Window& window, Arena& arena) {
  const FeatureMap y{arena.matrix(window.places(x.rows) * window.places(x.columns), x.cells.cols), window.places(x.rows),
                     window.places(x.columns)};
  const int channels = x.cells.cols;
  parallel_for(y.cells.rows, [&](int cell) {
    const int top = cell / y.columns * window.stride - window.padding;
    const int left = cell % y.columns * window.stride - window.padding;
    float* to = y.cells.row(cell);
    std::fill_n(to, channels, -std::numeric_limits<float>::infinity());
    for (int r = std::max(0, top); r < std::min(x.rows, top + window.side); ++r) {
      for (int c = std::max(0, left); c < std::min(x.columns, left + window.side); ++c) {
        const float* from = x.cells.row(r * x.columns + c);
        for (int i = 0; i < channels; ++i) to[i] = from[i] > to[i] ? from[i] : to[i];
      }
    }
  });
  return y;
}

FeatureMap to_cells(const float* planes, int channels, int rows, int columns, Arena& arena) {
  const FeatureMap y{arena.matrix(rows * columns, channels), rows, columns};
  parallel_for(rows, [&](int r) {
    for (int c = 0; c < columns; ++c) {
      float* to = y.cells.row(r * columns + c);
      for (int i = 0; i < channels; ++i) to[i] = planes[(static_cast<std::ptrdiff_t>(i) * rows + r) * columns + c];
    }
  });
  return y;
}

namespace reference {

void convolution(const FeatureMap& x, const float* weight, const float* bias, const Window& window, Linear::After after,
                 const FeatureMap& y) {
  const int in = x.cells.cols, side = window.side;
  for (int cell = 0; cell < y.cells.rows; ++cell) {
    for (int o = 0; o < y.cells.cols; ++o) {
      double sum = bias != nullptr ? bias[o] : 0.0;
      for (int ky = 0; ky < side; ++ky) {
        for (int kx = 0; kx < side; ++kx) {
          const int r = cell / y.columns * window.stride - window.padding + ky;
          const int c = cell % y.columns * window.stride - window.padding + kx;
          if (r < 0 || r >= x.rows || c < 0 || c >= x.columns) continue;
          const float* from = x.cells.row(r * x.columns + c);
          for (int i = 0; i < in; ++i) sum += static_cast<double>(from[i]) * weight[((o * in + i) * side + ky) * side + kx];
        }
      }
      if (after == Linear::After::kAdd || after == Linear::After::kAddRelu) sum += y.cells.row(cell)[o];
      if (after == Linear::After::kRelu || after == Linear::After::kAddRelu) sum = std::max(sum, 0.0);
      y.cells.row(cell)[o] = static_cast<float>(sum);
    }
  }
}

void max_pool(const FeatureMap& x, const Window& window, const FeatureMap& y) {
  for (int cell = 0; cell < y.cells.rows; ++cell) {
    for (int i = 0; i < y.cells.cols; ++i) {
      double most = -INFINITY;
      for (int k = 0; k < window.side * window.side; ++k) {
        const int r = cell / y.columns * window.stride - window.padding + k / window.side;
        const int c = cell % y.columns * window.stride - window.padding + k % window.side;
        if (r >= 0 && r < x.rows && c >= 0 && c < x.columns) most = std::max<double>(most, x.cells.row(r * x.columns + c)[i]);
      }
      y.cells.row(cell)[i] = static_cast<float>(most);
    }
  }
}

}  // namespace reference
}  // namespace revisit::tensor

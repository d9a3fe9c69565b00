// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The rows of b are packed once into panels of two vectors; then each tile of rows of a meets all of them and keeps its largest.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tensor/nearest.cpp"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>
//
#include <cstddef>

#include "core/tensor/nearest.h"
#include "core/tensor/parallel.h"
#include "core/tensor/register_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace revisit::tensor::HWY_NAMESPACE {

int NearestPanelWidth() { return static_cast<int>(register_columns()); }

// Products of `rows` rows of a with all panels, in `scratch` (rows, panels * width), then the largest of each row.
void NearestTile(const float* a, int rows, std::ptrdiff_t a_stride, const float* packed, int panels, int depth, float* scratch,
                 int* best, float* product) {
  const D d;
  const std::ptrdiff_t width = register_columns(), stride = panels * width;
  for (std::ptrdiff_t p = 0; p < panels; ++p) {
    panel_product(a, rows, a_stride, packed + p * depth * width, depth, false, scratch + p * width, stride, NoEnding());
  }
  for (int r = 0; r < rows; ++r) {
    const float* row = scratch + r * stride;
    V highest = hn::Load(d, row);
    for (std::ptrdiff_t c = static_cast<std::ptrdiff_t>(hn::Lanes(d)); c < stride;
         c += static_cast<std::ptrdiff_t>(hn::Lanes(d))) {
      highest = hn::Max(highest, hn::Load(d, row + c));
    }
    const float most = hn::GetLane(hn::MaxOfLanes(d, highest));
    std::ptrdiff_t at = 0;
    while (at < stride && !(row[at] == most)) ++at;
    best[r] = at < stride ? static_cast<int>(at) : 0;
    product[r] = row[best[r]];
  }
}

}  // namespace revisit::tensor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace revisit::tensor {
namespace {

HWY_EXPORT(NearestPanelWidth);
HWY_EXPORT(NearestTile);

constexpr int kNearestRows = 24;

}  // namespace

void nearest_rows(ConstMatrix a, ConstMatrix b, int* best, float* product, Arena& arena) {
  const Arena::Scope scope(arena);
  const std::ptrdiff_t width = HWY_DYNAMIC_DISPATCH(NearestPanelWidth)();
  const int panels = static_cast<int>((b.rows + width - 1) / width);
  const std::ptrdiff_t panel_floats = width * b.cols;
  float* packed = arena.floats(static_cast<std::size_t>(panels * panel_floats));
  for (std::ptrdiff_t j = 0; j < panels * width; ++j) {  // beyond the end the first row again, which changes nothing
    const float* row = b.row(j < b.rows ? static_cast<int>(j) : 0);
    float* to = packed + j / width * panel_floats + j % width;
    for (int c = 0; c < b.cols; ++c) to[c * width] = row[c];
  }
  const std::size_t room = static_cast<std::size_t>(kNearestRows * panels * width);
  float* scratch = arena.floats(static_cast<std::size_t>(threads()) * room);
  parallel_for_worker((a.rows + kNearestRows - 1) / kNearestRows, [&](int tile, int worker) {
    const int first = tile * kNearestRows;
    HWY_DYNAMIC_DISPATCH(NearestTile)
    (a.row(first), a.rows - first < kNearestRows ? a.rows - first : kNearestRows, a.stride, packed, panels, a.cols,
     scratch + static_cast<std::size_t>(worker) * room, best + first, product + first);
  });
}

namespace reference {

void nearest_rows(ConstMatrix a, ConstMatrix b, int* best, float* product) {
  for (int i = 0; i < a.rows; ++i) {
    double highest = 0;
    for (int j = 0; j < b.rows; ++j) {
      double dot = 0;
      for (int c = 0; c < a.cols; ++c) dot += static_cast<double>(a.row(i)[c]) * static_cast<double>(b.row(j)[c]);
      if (j > 0 && dot <= highest) continue;
      best[i] = j;
      highest = dot;
    }
    product[i] = static_cast<float>(highest);
  }
}

}  // namespace reference
}  // namespace revisit::tensor
#endif  // HWY_ONCE

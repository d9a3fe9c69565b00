// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The network sees the photo squeezed to its input size, so patches are as wide and high as the photo's sides make them.
#include "lab/report/patch_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace revisit::report {
namespace {

constexpr double kHeatOpacity = 0.62;  // leaves enough of the photo visible
constexpr double kPrunedLight = 0.28;
constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
constexpr Colour kEdge{255, 196, 61}, kMerged{240, 116, 36};

std::size_t count_of(Size grid) { return static_cast<std::size_t>(grid.height) * static_cast<std::size_t>(grid.width); }

std::size_t index_of(int column, int row, int width) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(column);
}

double grey_of(const std::uint8_t* pixel) { return 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]; }

std::uint8_t byte_of(double value) { return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0))); }

void tint(std::uint8_t* pixel, Colour colour) {
  const double grey = grey_of(pixel);
  pixel[0] = byte_of((1 - kHeatOpacity) * grey + kHeatOpacity * colour.r);
  pixel[1] = byte_of((1 - kHeatOpacity) * grey + kHeatOpacity * colour.g);
  pixel[2] = byte_of((1 - kHeatOpacity) * grey + kHeatOpacity * colour.b);
}

/// Which patch a pixel lies in, and how it is shared between patch centres, along one side of the photo.
struct Along {
  int own = 0, before = 0, after = 0;
  double share = 0;  // of `after`
};

std::vector<Along> along(int pixels, int patches) {
  std::vector<Along> out;
  for (int i = 0; i < pixels; ++i) {
    const double at = (i + 0.5) * patches / pixels;
    const double centre = std::clamp(at - 0.5, 0.0, patches - 1.0);
    const int before = static_cast<int>(centre);
    out.push_back({std::min(static_cast<int>(at), patches - 1), before, std::min(before + 1, patches - 1), centre - before});
  }
  return out;
}

/// Between the centres of the four patches around, those without a value left out.
float blended(std::span<const float> values, int width, const Along& x, const Along& y) {
  const auto value = [&](int column, int row) { return values[index_of(column, row, width)]; };
  if (std::isnan(value(x.own, y.own))) return kNone;
  double sum = 0, weights = 0;
  for (const auto& [row, row_share] : {std::pair(y.before, 1 - y.share), std::pair(y.after, y.share)}) {
    for (const auto& [column, column_share] : {std::pair(x.before, 1 - x.share), std::pair(x.after, x.share)}) {
      const float one = value(column, row);
      if (std::isnan(one)) continue;
      sum += row_share * column_share * static_cast<double>(one);
      weights += row_share * column_share;
    }
  }
  return static_cast<float>(sum / weights);  // the pixel's own patch is one of the four and weighs a quarter or more
}

}  // namespace

Colour heat_colour(double t) {
  constexpr std::array<std::array<double, 3>, 7> kStops{
      {{8, 6, 30}, {62, 18, 98}, {130, 32, 110}, {198, 58, 78}, {240, 116, 36}, {250, 190, 62}, {252, 252, 196}}};
  const double at = std::clamp(t, 0.0, 1.0) * (kStops.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(at), kStops.size() - 2);
  const double share = at - static_cast<double>(i);
  const auto channel = [&](std::size_t c) { return byte_of((1 - share) * kStops[i][c] + share * kStops[i + 1][c]); };
  return {channel(0), channel(1), channel(2)};
}

Range range_of(std::span<const float> values) {
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    range.low = std::min(range.low, static_cast<double>(value));
    range.high = std::max(range.high, static_cast<double>(value));
  }
  return range.low <= range.high ? range : Range{};
}

Image heat_over(const Image& photo, Size grid, std::span<const float> values, Range range) {
  Image out = photo;
  const auto columns = along(photo.width, grid.width), rows = along(photo.height, grid.height);
  std::uint8_t* pixel = out.rgb.data();
  for (const auto& y : rows) {
    for (const auto& x : columns) {
      const float value = blended(values, grid.width, x, y);
      if (std::isnan(value)) {
        pixel[0] = pixel[1] = pixel[2] = byte_of(kPrunedLight * grey_of(pixel));
      } else {
        tint(pixel, heat_colour(range.share(static_cast<double>(value))));
      }
      pixel += 3;
    }
  }
  return out;
}

bool owners_fit(std::span<const std::int64_t> owner, std::span<const std::int64_t> kept, Size grid) {
  if (owner.empty()) return true;
  if (owner.size() != count_of(grid)) return false;
  std::vector<bool> alive(owner.size());
  for (const auto patch : kept) alive[static_cast<std::size_t>(patch)] = true;
  for (std::size_t i = 0; i < owner.size(); ++i) {
    const std::int64_t to = owner[i];
    if (alive[i] ? to != static_cast<std::int64_t>(i)
                 : to != -1 && (to < 0 || to >= static_cast<std::int64_t>(owner.size()) || !alive[static_cast<std::size_t>(to)]))
      return false;
  }
  return true;
}

Image mask_over(const Image& photo, Size grid, std::span<const std::int64_t> kept, std::span<const std::int64_t> owner,
                bool outlined) {
  enum class Fate : std::uint8_t { kDropped, kMerged, kKept };
  std::vector<Fate> fates(count_of(grid), Fate::kDropped);
  for (std::size_t i = 0; i < owner.size(); ++i) {
    if (owner[i] >= 0) fates[i] = Fate::kMerged;
  }
  for (const auto patch : kept) fates[static_cast<std::size_t>(patch)] = Fate::kKept;
  Image out = photo;
  const auto columns = along(photo.width, grid.width), rows = along(photo.height, grid.height);
  const auto fate_at = [&](const Along& x, const Along& y) { return fates[index_of(x.own, y.own, grid.width)]; };
  std::uint8_t* pixel = out.rgb.data();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c, pixel += 3) {
      const Fate fate = fate_at(columns[c], rows[r]);
      const bool edge = outlined && ((c > 0 && fate_at(columns[c - 1], rows[r]) != fate) ||
                                     (r > 0 && fate_at(columns[c], rows[r - 1]) != fate));
      if (edge) {
        pixel[0] = kEdge.r;
        pixel[1] = kEdge.g;
        pixel[2] = kEdge.b;
      } else if (fate == Fate::kMerged) {
        tint(pixel, kMerged);
      } else if (fate == Fate::kDropped) {
        pixel[0] = pixel[1] = pixel[2] = byte_of(kPrunedLight * grey_of(pixel));
      }
    }
  }
  return out;
}

std::vector<float> placed(std::span<const float> values, std::span<const std::int64_t> kept, std::span<const std::int64_t> owner,
                          Size grid) {
  std::vector<float> out(count_of(grid), kNone);
  for (std::size_t i = 0; i < kept.size(); ++i) out[static_cast<std::size_t>(kept[i])] = values[i];
  for (std::size_t i = 0; i < owner.size(); ++i) {
    if (owner[i] >= 0) out[i] = out[static_cast<std::size_t>(owner[i])];
  }
  return out;
}

std::vector<std::int64_t> kept_at(std::span<const float> scores, double rho) {
  const auto total = static_cast<double>(scores.size());
  const auto keep = static_cast<std::ptrdiff_t>(std::clamp(std::ceil(rho * total - 1e-9), 0.0, total));
  std::vector<std::int64_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>{}, [&](std::int64_t i) { return scores[static_cast<std::size_t>(i)]; });
  order.erase(order.begin() + keep, order.end());
  std::ranges::sort(order);
  return order;
}

}  // namespace revisit::report

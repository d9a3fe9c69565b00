// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Cells as wide as the threshold: only the cells around a query can hold its positives. Geographic places are hashed as points on
// a sphere in space, so borders of zones, the date line and the poles need no care.
#include "lab/dataset/near.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <unordered_map>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "core/base/salted_hash.h"
#include "core/base/stop_scope.h"

namespace revisit::dataset {
namespace {

using Point = std::array<double, 3>;
using Cell = std::array<std::int64_t, 3>;

// The directions of two verticals differ by at least distance / 6,400 km and at most distance / 6,335 km anywhere on WGS84, so
// chords of a sphere of the smaller radius are never longer than the way along the ground.
constexpr double kSphereRadiusM = 6'335'000;
constexpr double kMostStretch = 1.02;  // ground / chord, for ways up to kShortWayM
constexpr double kShortWayM = 100'000;
constexpr double kSmallestCellM = 0.01;

Point point_of(const Position& position, Metric metric) {
  if (metric == Metric::kPlane || !position.geographic) return {position.east_m, position.north_m, 0};
  const double lat = position.geographic->lat_deg * std::numbers::pi / 180;
  const double lon = position.geographic->lon_deg * std::numbers::pi / 180;
  return {kSphereRadiusM * std::cos(lat) * std::cos(lon), kSphereRadiusM * std::cos(lat) * std::sin(lon),
          kSphereRadiusM * std::sin(lat)};
}

Cell cell_of(const Point& point, double side) {
  Cell out;
  for (std::size_t i = 0; i < 3; ++i) out[i] = static_cast<std::int64_t>(std::floor(std::clamp(point[i] / side, -1e15, 1e15)));
  return out;
}

struct CellHash {
  std::size_t operator()(const Cell& cell) const { return static_cast<std::size_t>(salted_hash(std::as_bytes(std::span(cell)))); }
};

bool is_within(const Position& a, const Position& b, double chord, double threshold_m, Metric metric) {
  if (metric == Metric::kPlane) return chord <= threshold_m;
  if (chord > threshold_m) return false;
  if (threshold_m < kShortWayM && chord * kMostStretch < threshold_m) return true;
  return distance_m(a, b) <= threshold_m;
}

double length(const Point& a, const Point& b) {
  const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return std::sqrt(x * x + y * y + z * z);  // std::hypot is ten times slower, and nothing overflows here
}

}  // namespace

std::vector<std::vector<int>> positives_within(const std::vector<Photo>& queries, const std::vector<Photo>& references,
                                               double threshold_m, Metric metric, std::uint64_t most_pairs) {
  if (!(threshold_m >= 0) || !std::isfinite(threshold_m)) {
    fail(ErrorCode::kUsage, "the positive distance threshold is {} m, but must be 0 or more and finite", threshold_m);
  }
  const double side = std::max(threshold_m, kSmallestCellM);
  std::unordered_map<Cell, std::vector<int>, CellHash> cells;
  std::vector<Point> points(references.size());
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (!references[i].position) continue;
    points[i] = point_of(*references[i].position, metric);
    cells[cell_of(points[i], side)].push_back(static_cast<int>(i));
  }

  std::vector<std::vector<int>> out(queries.size());
  std::uint64_t total = 0, looked_at = 0;
  StopTicker ticker;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    if (!queries[q].position) continue;
    const Point point = point_of(*queries[q].position, metric);
    const Cell home = cell_of(point, side);
    for (int around = 0; around < 27; ++around) {
      const Cell cell{home[0] + around % 3 - 1, home[1] + around / 3 % 3 - 1, home[2] + around / 9 - 1};
      const auto found = cells.find(cell);
      if (found == cells.end()) continue;
      // References crowded just beyond the threshold are not positives, but have to be checked one by one.
      looked_at += found->second.size();
      if (looked_at > most_pairs) {
        fail(ErrorCode::kLimit, "more than {} pairs of query and reference lie within about three times {} m of each other",
             most_pairs, threshold_m);
      }
      ticker.step(found->second.size());
      for (const int r : found->second) {
        const auto& reference = references[static_cast<std::size_t>(r)];
        const double chord = length(point, points[static_cast<std::size_t>(r)]);
        if (is_within(*queries[q].position, *reference.position, chord, threshold_m, metric)) out[q].push_back(r);
      }
    }
    std::ranges::sort(out[q]);
    total += out[q].size();
    if (total > limits::kMaxPositives) {
      fail(ErrorCode::kLimit, "more than {} pairs of query and reference lie within {} m", limits::kMaxPositives, threshold_m);
    }
  }
  return out;
}

}  // namespace revisit::dataset

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Search options: checked, and turned into a mask over the rows.
#include "retrieval/store/filter.h"

#include <algorithm>
#include <cmath>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "revisit/whitening.h"

namespace revisit::retrieval {
namespace {

// No degree of latitude is shorter, anywhere on the ellipsoid; saves most of the geodesics.
constexpr double kMetresPerDegree = 110'000;

bool is_near(const Position& position, const Position& centre, double radius_m) {
  if (position.geographic && centre.geographic) {
    const double degrees = std::abs(position.geographic->lat_deg - centre.geographic->lat_deg);
    if (degrees * kMetresPerDegree > radius_m) return false;
  }
  return distance_m(position, centre) <= radius_m;
}

}  // namespace

void check_search(std::span<const float> queries, int dim, const SearchOptions& options) {
  if (options.top_k < 1 || options.top_k > limits::kMaxTopK) {
    fail(ErrorCode::kUsage, "`top_k` {} is outside 1..{}", options.top_k, limits::kMaxTopK);
  }
  if (options.first_row < 0) fail(ErrorCode::kUsage, "`first_row` {} is below 0", options.first_row);
  if (options.end_row && *options.end_row < 0) fail(ErrorCode::kUsage, "`end_row` {} is below 0", *options.end_row);
  if (options.near) {
    if (!(options.radius_m >= 0) || std::isinf(options.radius_m)) {
      fail(ErrorCode::kUsage, "`radius_m` {} is not a distance", options.radius_m);
    }
    if (!std::isfinite(options.near->east_m) || !std::isfinite(options.near->north_m)) {
      fail(ErrorCode::kUsage, "`near` has the position {}, {}", options.near->east_m, options.near->north_m);
    }
  }
  if (options.after_s && std::isnan(*options.after_s)) fail(ErrorCode::kUsage, "`after_s` is nan");
  if (options.before_s && std::isnan(*options.before_s)) fail(ErrorCode::kUsage, "`before_s` is nan");
  if (options.dim && (*options.dim < 1 || *options.dim > std::min(dim, int{Whitening::kMaxTargetDim}))) {
    fail(ErrorCode::kUsage, "`dim` {} is outside 1..{}: the index has dim {}, the limit is {}", *options.dim,
         std::min(dim, int{Whitening::kMaxTargetDim}), dim, int{Whitening::kMaxTargetDim});
  }
  const auto size = static_cast<std::size_t>(dim);
  if (queries.size() % size != 0) {
    fail(ErrorCode::kUsage, "{} query values are not a whole number of descriptors of dim {}", queries.size(), dim);
  }
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (!std::isfinite(queries[i])) {
      fail(ErrorCode::kUsage, "query {} holds {} at position {}", i / size, queries[i], i % size);
    }
  }
}

bool filters_by_place_or_time(const SearchOptions& options) { return options.near || options.after_s || options.before_s; }

std::vector<std::uint8_t> matching_rows(std::span<const PlaceAndTime> known, int rows, const SearchOptions& options) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(rows), 0);
  for (const PlaceAndTime& one : known) {
    if (one.row >= rows) continue;
    const bool timed = options.after_s || options.before_s;
    if (timed && !one.time_s) continue;
    if (options.after_s && *one.time_s < *options.after_s) continue;
    if (options.before_s && *one.time_s > *options.before_s) continue;
    if (options.near && (!one.position || !is_near(*one.position, *options.near, options.radius_m))) continue;
    out[static_cast<std::size_t>(one.row)] = 1;
  }
  return out;
}

std::vector<std::uint8_t> wanted_rows(const SearchOptions& options, std::span<const PlaceAndTime> known, int rows,
                                      std::span<const std::uint8_t> live) {
  if (!filters_by_place_or_time(options)) return {live.begin(), live.end()};
  std::vector<std::uint8_t> out = matching_rows(known, rows, options);
  for (std::size_t r = 0; r < live.size(); ++r) out[r] &= live[r];
  return out;
}

Request request_for(const SearchOptions& options, std::span<const float> queries, const std::vector<std::uint8_t>& wanted, int rows) {
  Request out;
  out.queries = queries;
  out.top_k = options.top_k;
  out.end = std::min(rows, options.end_row.value_or(rows));
  out.first = std::min(options.first_row, out.end);
  out.wanted = wanted.empty() ? nullptr : wanted.data();
  out.limited = out.first > 0 || out.end < rows || filters_by_place_or_time(options);
  return out;
}

}  // namespace revisit::retrieval

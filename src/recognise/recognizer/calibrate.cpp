// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Rates from a collection's own photos, without labels: each photo is asked about all photos that cannot show its place, so
// whatever it finds is wrong.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/fail.h"
#include "revisit/decision.h"

namespace revisit {
namespace {

constexpr std::size_t kMostAsked = 5000;  // photos; more do not make the rates any finer
constexpr std::size_t kAtOnce = 64;       // searched together
constexpr int kMostMatches = 300;         // of a photo; those of its own place are left out

enum class Apart { kPosition, kTime, kOrder };

struct Spot {
  Whereabouts where;
  bool known = false;
};

bool is_known(const Whereabouts& where, Apart by) {
  return by == Apart::kOrder || (by == Apart::kPosition ? where.position.has_value() : where.time_s.has_value());
}

bool are_apart(const Whereabouts& a, const Whereabouts& b, Apart by, const ApartOptions& options) {
  switch (by) {
    case Apart::kPosition: return distance_m(*a.position, *b.position) > options.metres;
    case Apart::kTime: return std::abs(*a.time_s - *b.time_s) > options.seconds;
    case Apart::kOrder: return std::abs(static_cast<long>(a.row) - b.row) >= *options.photos;
  }
  return false;
}

/// What most photos have; positions before times before order.
Apart means_of(const std::vector<Spot>& spots, int live, const ApartOptions& options) {
  const auto placed = std::ranges::count_if(spots, [](const Spot& one) { return one.known && one.where.position; });
  const auto timed = std::ranges::count_if(spots, [](const Spot& one) { return one.known && one.where.time_s; });
  if (2 * placed >= live && placed > 0) return Apart::kPosition;
  if (2 * timed >= live && timed > 0) return Apart::kTime;
  if (options.photos) return Apart::kOrder;
  fail_with_hint(
      ErrorCode::kUsage,
      "add them with revisit index add --positions FILE.csv, or give `photos` N if the index holds one drive that never "
      "comes back",
      "calibrating takes photos that are known to show other places, but only {} of the {} have a position and {} a time", placed,
      live, timed);
}

std::vector<Spot> spots_of(const Index& index) {
  std::vector<Spot> out(static_cast<std::size_t>(index.rows()));
  for (int row = 0; row < index.rows(); ++row) {
    if (!index.is_live(row)) continue;
    const IndexEntry entry = index.entry(row);
    out[static_cast<std::size_t>(row)] = {{row, entry.position, entry.time_s}, true};
  }
  return out;
}

}  // namespace

IndexCalibration calibrate_index(const Index& index, const ApartOptions& options) {
  std::vector<Spot> spots = spots_of(index);
  const Apart by = means_of(spots, index.live_rows(), options);
  IndexCalibration out;
  out.by = by == Apart::kPosition ? "position" : by == Apart::kTime ? "time" : "order";
  std::vector<int> rows;
  for (auto& spot : spots) {
    const bool live = spot.known;
    spot.known = live && is_known(spot.where, by);
    if (spot.known) rows.push_back(spot.where.row);
    out.without += live && !spot.known ? 1 : 0;
  }
  const auto where = [&](int row) { return spots[static_cast<std::size_t>(row)].where; };
  const int dim = index.settings().dim;
  const auto asked = std::min(rows.size(), kMostAsked);
  SearchOptions search;
  search.top_k = kMostMatches;
  std::vector<float> queries;
  for (std::size_t first = 0; first < asked; first += kAtOnce) {
    if (options.progress && !options.progress(static_cast<int>(first), static_cast<int>(asked)))
      fail(ErrorCode::kInterrupted, "stopped after {} of {} photos", first, asked);
    const auto row_of = [&](std::size_t i) { return rows[rows.size() * i / asked]; };
    const auto last = std::min(asked, first + kAtOnce);
    queries.clear();
    for (std::size_t i = first; i < last; ++i) {
      const auto row = index.checked_descriptor(row_of(i));
      queries.insert(queries.end(), row.begin(), row.begin() + dim);
    }
    const auto found = index.search(queries, search);
    for (std::size_t i = first; i < last; ++i) {
      auto matches = found[i - first];
      const bool all_seen = matches.size() < static_cast<std::size_t>(kMostMatches);
      const Whereabouts here = where(row_of(i));
      std::erase_if(matches, [&](const Match& match) {
        return !spots[static_cast<std::size_t>(match.row)].known || !are_apart(here, where(match.row), by, options);
      });
      if (!matches.empty()) {
        out.strangers.push_back(evidence_of(matches, where));
      } else if (!all_seen) {
        ++out.crowded;
      }
    }
  }
  if (out.strangers.empty()) {
    fail(ErrorCode::kUsage, "calibrating takes photos that show other places, but no two of the {} photos are far enough apart",
         rows.size());
  }
  out.table = make_decision_table(std::span(&out.strangers, 1));
  if (out.table.steps.empty() || out.table.steps.back().rate > kUsualFalseRate) {
    fail(ErrorCode::kUsage, "a false rate of {:g} takes {:.0f} photos that are known to show other places, but there are {}",
         kUsualFalseRate, 1 / (kAnsweredShare * kUsualFalseRate) - 1, out.strangers.size());
  }
  return out;
}

}  // namespace revisit

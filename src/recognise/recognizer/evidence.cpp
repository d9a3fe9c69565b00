// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What speaks for a best match: how far it is ahead of the next place.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "revisit/decision.h"

namespace revisit {
namespace {

constexpr double kSamePlace_m = 50, kSamePlace_s = 20;
constexpr int kSamePlaceRows = 10;
constexpr int kFewestOthers = 10;  // fewer photos of other places do not show how alike other places can be

}  // namespace

bool may_be_same_place(const Whereabouts& a, const Whereabouts& b) {
  if (a.position && b.position) return distance_m(*a.position, *b.position) < kSamePlace_m;
  if (a.time_s && b.time_s && std::abs(*a.time_s - *b.time_s) < kSamePlace_s) return true;
  return std::abs(static_cast<long>(a.row) - b.row) <= kSamePlaceRows;
}

Evidence evidence_of(std::span<const Match> matches, const std::function<Whereabouts(int row)>& where) {
  Evidence out;
  if (matches.empty()) return out;
  out.similarity = static_cast<double>(matches.front().similarity);
  const Whereabouts best = where(matches.front().row);
  const bool more_unseen = matches.size() >= kEvidenceMatches;
  int others = 0;
  for (const Match& match : matches.subspan(1)) {
    if (may_be_same_place(best, where(match.row))) continue;
    if (others == 0) out.next = static_cast<double>(match.similarity);
    ++others;
    if (more_unseen || others == kFewestOthers) return out;
  }
  out.next.reset();
  if (more_unseen) {
    out.next = static_cast<double>(matches.back().similarity);
  } else if (matches.size() > 1) {
    out.least = static_cast<double>(matches.back().similarity);
  }
  return out;
}

}  // namespace revisit

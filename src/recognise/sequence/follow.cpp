// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The filter over whole lists of matches: those of one frame, and those of a folder of queries.
#include <algorithm>
#include <numeric>

#include "core/base/fail.h"
#include "recognise/sequence/sequence.h"

namespace revisit {
namespace {

std::vector<std::size_t> by_time(const std::vector<Photo>& photos) {
  std::vector<std::size_t> order(photos.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (std::ranges::all_of(photos, [](const Photo& photo) { return photo.time_s.has_value(); })) {
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return *photos[i].time_s; });
  }
  return order;
}

}  // namespace

void check_sequence(int frames) {
  if (frames >= 0 && frames <= kMaxSequence) return;
  fail(ErrorCode::kUsage, "`sequence` is {} frames, but must be 0 to {}", frames, kMaxSequence);
}

std::vector<double> sequence::follow(Filter& filter, std::span<const float> frame, const Map& map, int top_k,
                                     std::vector<Match>& matches) {
  const std::vector<Ranked> ranked = filter.next(frame, matches, map);
  std::vector<Match> ordered;
  std::vector<double> support;
  for (const Ranked& one : ranked) {
    ordered.push_back(matches[one.candidate]);
    support.push_back(one.support);
  }
  std::ranges::copy(ordered, matches.begin());
  matches.resize(std::min(matches.size(), static_cast<std::size_t>(top_k)));
  support.resize(matches.size());
  return support;
}

std::vector<std::vector<double>> follow_sequence(const DescribedPhotos& queries, const DescribedPhotos& references,
                                                 const std::vector<Photo>& query_photos,
                                                 const std::vector<Photo>& reference_photos, int frames, int top_k,
                                                 std::vector<std::vector<Match>>& matches) {
  check_sequence(frames);
  const auto row_of = [](const DescribedPhotos& photos, std::size_t row) {
    const auto dim = static_cast<std::size_t>(photos.dim);
    return std::span(photos.rows).subspan(row * dim, dim);
  };
  const sequence::Map map{static_cast<int>(reference_photos.size()),
                          [&](int row) { return row_of(references, static_cast<std::size_t>(row)); },
                          [&](int row) { return reference_photos[static_cast<std::size_t>(row)].position; }};
  sequence::Filter filter(std::max(1, frames));
  std::vector<std::vector<double>> support(matches.size());
  for (const std::size_t q : by_time(query_photos)) {
    if (!matches[q].empty()) support[q] = sequence::follow(filter, row_of(queries, q), map, top_k, matches[q]);
  }
  return support;
}

}  // namespace revisit

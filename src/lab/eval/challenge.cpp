// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// recall@k and map@k of the challenge. A reference counts once however often it is named.
#include "lab/eval/challenge.h"

#include <algorithm>
#include <numeric>

#include "core/base/fail.h"

namespace revisit {
namespace eval {
namespace {

bool holds(std::span<const int> sorted, int value) { return std::ranges::binary_search(sorted, value); }

}  // namespace

double average_precision_at(int k, std::span<const int> positives, std::span<const int> ranked) {
  const auto first = ranked.first(std::min(ranked.size(), static_cast<std::size_t>(k)));
  double sum = 0;
  int hits = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const bool again = std::ranges::find(first.first(i), first[i]) != first.begin() + static_cast<std::ptrdiff_t>(i);
    if (again || !holds(positives, first[i])) continue;
    sum += ++hits / static_cast<double>(i + 1);
  }
  return sum / static_cast<double>(std::min(positives.size(), static_cast<std::size_t>(k)));
}

ChallengeCounter::ChallengeCounter(const std::vector<std::string>& parts, std::vector<int> recall_values)
    : names_(parts), ks_(std::move(recall_values)), sums_(parts.size()) {
  for (auto& sums : sums_) {
    sums.hits.resize(ks_.size());
    sums.precision.resize(ks_.size());
  }
}

void ChallengeCounter::count_references(int part, int count) { sums_[static_cast<std::size_t>(part)].references += count; }

void ChallengeCounter::add(int part, std::span<const int> positives, std::span<const int> ranked) {
  Sums& sums = sums_[static_cast<std::size_t>(part)];
  if (positives.empty()) {
    ++sums.without_positive;
    return;
  }
  ++sums.queries;
  for (std::size_t j = 0; j < ks_.size(); ++j) {
    const auto first = ranked.first(std::min(ranked.size(), static_cast<std::size_t>(ks_[j])));
    sums.hits[j] += std::ranges::any_of(first, [&](int r) { return holds(positives, r); }) ? 1 : 0;
    sums.precision[j] += average_precision_at(ks_[j], positives, ranked);
  }
}

PartScore ChallengeCounter::part_score(const std::string& name, std::span<const std::size_t> indices) const {
  PartScore out;
  out.name = name;
  for (const int k : ks_) out.at.push_back({k, 0, 0});
  for (const std::size_t i : indices) {
    const Sums& sums = sums_[i];
    out.num_queries += sums.queries;
    out.num_without_positive += sums.without_positive;
    out.num_references += sums.references;
    for (std::size_t j = 0; j < ks_.size(); ++j) {
      out.at[j].recall += sums.hits[j];
      out.at[j].map += sums.precision[j];
    }
  }
  for (auto& at : out.at) {
    at.recall *= 100.0 / std::max(1, out.num_queries);
    at.map *= 100.0 / std::max(1, out.num_queries);
  }
  return out;
}

ChallengeScore ChallengeCounter::score() const {
  ChallengeScore out;
  std::vector<std::size_t> every(names_.size());
  std::iota(every.begin(), every.end(), std::size_t{0});
  out.all = part_score("all", every);
  for (std::size_t i = 0; i < names_.size(); ++i) out.parts.push_back(part_score(names_[i], std::span(every).subspan(i, 1)));
  out.protocol = "recall@k and map@k of the Mapillary SLS challenge: queries without a right reference are left out";
  return out;
}

ChallengeScore score_parts(const Dataset& dataset, const std::vector<std::vector<Match>>& matches, const std::vector<int>& ks) {
  if (dataset.query_parts.size() != dataset.queries.size() || dataset.reference_parts.size() != dataset.references.size()) {
    fail(ErrorCode::kMismatch, "'{}' has {} queries and {} references, but parts for {} and {}", dataset.name,
         dataset.queries.size(), dataset.references.size(), dataset.query_parts.size(), dataset.reference_parts.size());
  }
  ChallengeCounter counter(dataset.parts, ks);
  for (const int part : dataset.reference_parts) counter.count_references(part, 1);
  for (std::size_t q = 0; q < matches.size(); ++q) {
    std::vector<int> ranked;
    for (const auto& match : matches[q]) ranked.push_back(match.row);
    counter.add(dataset.query_parts[q], dataset.positives[q], ranked);
  }
  return counter.score();
}

}  // namespace eval

std::function<bool(int, int)> search_filter(const Dataset& dataset) {
  if (dataset.parts.empty()) return {};
  return [&dataset](int query, int reference) {
    return dataset.query_parts[static_cast<std::size_t>(query)] == dataset.reference_parts[static_cast<std::size_t>(reference)];
  };
}

}  // namespace revisit

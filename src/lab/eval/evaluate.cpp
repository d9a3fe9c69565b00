// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// recall@k = share of all queries with a positive among their first k matches. A query without a positive is a miss and stays in
// the denominator. Intervals: percentile bootstrap over queries; if all queries or none are right the bootstrap
// would claim certainty, so Wilson's is used.
#include "revisit/lab/evaluate.h"

#include <algorithm>

#include "core/base/fail.h"
#include "core/base/random.h"
#include "lab/eval/challenge.h"
#include "lab/eval/curve.h"

namespace revisit {
namespace {

constexpr int kDraws = 2000;
constexpr double kNormal95 = 1.959963984540054;
constexpr std::uint64_t kSeed = 0x5eed;

void check(const Dataset& dataset, const std::vector<std::vector<Match>>& matches, const std::vector<int>& recall_values) {
  if (!dataset.labelled) {
    fail_with_hint(ErrorCode::kUsage, "ground truth comes from `gt`, `positions`, @east@north@ names or EXIF GPS",
                   "'{}' has no ground truth, so nothing can be evaluated", dataset.name);
  }
  if (matches.size() != dataset.queries.size() || dataset.positives.size() != dataset.queries.size()) {
    fail(ErrorCode::kMismatch, "there are {} queries, but matches for {} and ground truth for {}", dataset.queries.size(),
         matches.size(), dataset.positives.size());
  }
  if (matches.empty()) fail(ErrorCode::kUsage, "'{}' has no queries", dataset.name);
  if (recall_values.empty()) fail(ErrorCode::kUsage, "`recall_values` is empty");
  for (const int k : recall_values) {
    if (k < 1) fail(ErrorCode::kUsage, "`recall_values` holds {}, but the least is 1", k);
  }
}

bool is_positive(const std::vector<int>& positives, int reference) { return std::ranges::binary_search(positives, reference); }

/// The rank, from 1, of the first right match; 0 when there is none.
int first_right(const std::vector<Match>& matches, const std::vector<int>& positives) {
  const auto found = std::ranges::find_if(matches, [&](const Match& match) { return is_positive(positives, match.row); });
  return found == matches.end() ? 0 : static_cast<int>(found - matches.begin()) + 1;
}

/// 2.5 % and 97.5 % of the drawn counts of hits, as counts, for each k.
std::vector<std::pair<double, double>> intervals(const std::vector<int>& ranks, const std::vector<int>& ks) {
  std::vector<std::vector<int>> counts(ks.size());
  std::vector<int> hits(ks.size());
  SplitMix random(kSeed);
  for (int draw = 0; draw < kDraws; ++draw) {
    std::ranges::fill(hits, 0);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const int rank = ranks[random.below(ranks.size())];
      for (std::size_t j = 0; j < ks.size(); ++j) hits[j] += rank > 0 && rank <= ks[j] ? 1 : 0;
    }
    for (std::size_t j = 0; j < ks.size(); ++j) counts[j].push_back(hits[j]);
  }
  const auto queries = static_cast<double>(ranks.size());
  const double wilson = queries * kNormal95 * kNormal95 / (queries + kNormal95 * kNormal95);  // queries left uncertain
  std::vector<std::pair<double, double>> out;
  for (auto& drawn : counts) {
    std::ranges::sort(drawn);
    double low = drawn[kDraws * 25 / 1000];
    double high = drawn[kDraws * 975 / 1000 - 1];
    if (drawn.back() == 0) high = wilson;
    if (drawn.front() == static_cast<int>(ranks.size())) low = queries - wilson;
    out.emplace_back(low, high);
  }
  return out;
}

}  // namespace

std::string whitened_protocol(const std::string& protocol, int dim) {
  return fmt::format("{}; descriptors PCA-whitened to {} values learnt from the references", protocol, dim);
}

void require_usable(const DescribedPhotos& photos, const std::string& what) {
  if (photos.skipped.empty() || photos.skipped.size() * static_cast<std::size_t>(photos.dim) < photos.rows.size()) return;
  const Skipped& first = photos.skipped.front();
  fail(first.code, "none of the {} {} could be used; the first: {}", photos.skipped.size(), what, first.reason);
}

std::vector<int> first_right_ranks(const Dataset& dataset, const std::vector<std::vector<Match>>& matches) {
  std::vector<int> ranks;
  for (std::size_t q = 0; q < matches.size(); ++q) ranks.push_back(first_right(matches[q], dataset.positives.at(q)));
  return ranks;
}

Evaluation evaluate(const Dataset& dataset, const std::vector<std::vector<Match>>& matches,
                    const std::vector<int>& recall_values) {
  check(dataset, matches, recall_values);
  Evaluation out;
  out.num_queries = static_cast<int>(dataset.queries.size());
  out.num_references = static_cast<int>(dataset.references.size());
  out.num_without_positive = dataset.without_positive();
  out.protocol = dataset.protocol;

  const std::vector<int> ranks = first_right_ranks(dataset, matches);
  std::vector<eval::Answer> answers;
  for (std::size_t q = 0; q < matches.size(); ++q) {
    if (!matches[q].empty()) answers.push_back({static_cast<double>(matches[q].front().similarity), ranks[q] == 1});
  }

  std::vector<int> ks = recall_values;
  std::ranges::sort(ks);
  ks.erase(std::unique(ks.begin(), ks.end()), ks.end());
  const auto spread = intervals(ranks, ks);
  const auto percent = [&](auto count) { return 100.0 * static_cast<double>(count) / out.num_queries; };
  for (std::size_t j = 0; j < ks.size(); ++j) {
    const auto hits = std::ranges::count_if(ranks, [&](int rank) { return rank > 0 && rank <= ks[j]; });
    out.recall.push_back({ks[j], percent(hits), percent(spread[j].first), percent(spread[j].second)});
  }
  eval::fill_curve(std::move(answers), out.num_queries - out.num_without_positive, out);
  if (!dataset.parts.empty()) out.challenge = eval::score_parts(dataset, matches, ks);
  return out;
}

}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Means, spreads and paired intervals over cells. What two lines get wrong together says nothing about their difference, so
// queries are drawn once for both.
#include "revisit/lab/compare.h"

#include <algorithm>
#include <cmath>

#include "core/base/fail.h"
#include "core/base/random.h"
#include "engine/budget/timing.h"

namespace revisit {
namespace {

constexpr int kPairedDraws = 2000;
constexpr std::uint64_t kPairedSeed = 0x5eed;

bool is_hit(int rank, int k) { return rank > 0 && rank <= k; }

double recall_of_cell(const CompareCell& cell, int k) {
  const auto hits = std::ranges::count_if(cell.ranks, [&](int rank) { return is_hit(rank, k); });
  return 100.0 * static_cast<double>(hits) / static_cast<double>(cell.ranks.size());
}

MeanAndSpread spread_of(const std::vector<double>& values) {
  MeanAndSpread out;
  for (const double value : values) out.mean += value / static_cast<double>(values.size());
  if (values.size() < 2) return out;
  double squares = 0;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  out.deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return out;
}

/// The share of repetitions that find each query's place.
std::vector<double> shares_of(const CompareLine& line, std::size_t dataset, int k) {
  std::vector<double> out(line.repetitions.front().at(dataset).ranks.size(), 0.0);
  for (const auto& cells : line.repetitions) {
    const auto& ranks = cells.at(dataset).ranks;
    for (std::size_t q = 0; q < out.size(); ++q) {
      out[q] += is_hit(ranks[q], k) ? 1.0 / static_cast<double>(line.repetitions.size()) : 0.0;
    }
  }
  return out;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

MeanAndSpread recall_of(const CompareLine& line, std::size_t dataset, int k) {
  std::vector<double> values;
  for (const auto& cells : line.repetitions) values.push_back(recall_of_cell(cells.at(dataset), k));
  return spread_of(values);
}

MeanAndSpread mean_recall_of(const CompareLine& line, int k, const std::set<std::size_t>& left_out) {
  std::vector<double> values;
  for (const auto& cells : line.repetitions) {
    std::vector<double> recalls;
    for (std::size_t d = 0; d < cells.size(); ++d) {
      if (!left_out.contains(d)) recalls.push_back(recall_of_cell(cells[d], k));
    }
    values.push_back(mean(recalls));
  }
  return spread_of(values);
}

CompareCost cost_of(const CompareLine& line) {
  std::vector<double> times, work;
  for (const CompareCost& cost : line.costs) {
    times.push_back(cost.ms_per_image);
    work.push_back(cost.gmac);
  }
  if (times.empty()) return {};
  return {timing_quantile(times, 0.5), mean(work)};
}

PairedDifference paired_difference(const CompareLine& of, const CompareLine& from, int k) {
  const std::size_t datasets = of.repetitions.front().size();
  std::vector<std::vector<double>> gains;  // of each query of each data set
  for (std::size_t d = 0; d < datasets; ++d) {
    gains.push_back(shares_of(of, d, k));
    const auto less = shares_of(from, d, k);
    if (less.size() != gains.back().size()) {
      fail(ErrorCode::kMismatch, "'{}' has {} queries, '{}' has {}: they cannot be compared query by query", of.name,
           gains.back().size(), from.name, less.size());
    }
    for (std::size_t q = 0; q < less.size(); ++q) gains.back()[q] -= less[q];
  }
  std::vector<double> drawn;
  SplitMix random(kPairedSeed);
  for (int draw = 0; draw < kPairedDraws; ++draw) {
    double total = 0;
    for (const auto& set : gains) {
      double sum = 0;
      for (std::size_t i = 0; i < set.size(); ++i) sum += set[random.below(set.size())];
      total += sum / static_cast<double>(set.size());
    }
    drawn.push_back(100 * total / static_cast<double>(datasets));
  }
  std::ranges::sort(drawn);
  PairedDifference out;
  for (const auto& set : gains) out.percent += 100 * mean(set) / static_cast<double>(datasets);
  out.low95 = drawn[kPairedDraws * 25 / 1000];
  out.high95 = drawn[kPairedDraws * 975 / 1000 - 1];
  return out;
}

}  // namespace revisit

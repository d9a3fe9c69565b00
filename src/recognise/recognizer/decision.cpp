// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Scores, rates and words of a decision.
#include "revisit/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/fail.h"

namespace revisit {
namespace {

constexpr double kRates[] = {0.5,  0.4,   0.3,  0.2,   0.15,  0.1,   0.07,  0.05,  0.04, 0.03,
                             0.02, 0.015, 0.01, 0.007, 0.005, 0.004, 0.003, 0.002, 0.001};
constexpr double kDigits = 1e4;  // scores are kept to four decimals, rounded up

double rounded_up(double x) { return (std::floor(x * kDigits) + 1) / kDigits; }

// The value that a share of `values` exceed.
double exceeded_by(std::vector<double> values, double share) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size()));
  std::ranges::nth_element(values, at, std::ranges::greater());
  return *at;
}

/// The score that only a photo of a known place exceeds at this rate. Conformal: with n strangers the chance that another one
/// exceeds the k-th highest is at most k / (n + 1). None where that takes more strangers.
std::optional<double> score_at(const std::vector<double>& falling, double rate) {
  const auto k = static_cast<std::size_t>(kAnsweredShare * rate * static_cast<double>(falling.size() + 1));
  if (k == 0) return std::nullopt;
  return rounded_up(falling[k - 1]);
}

std::vector<double> falling_scores(const std::vector<Evidence>& strangers, const DecisionTable& table) {
  std::vector<double> out;
  out.reserve(strangers.size());
  for (const Evidence& one : strangers) out.push_back(score(one, table));
  std::ranges::sort(out, std::ranges::greater());
  return out;
}

}  // namespace

double score(const Evidence& evidence, const DecisionTable& table) {
  const double next = evidence.next.value_or(std::max(table.unseen, evidence.least));
  return evidence.similarity - std::clamp(next, table.floor, table.ceiling);
}

std::optional<double> false_rate(const Evidence& evidence, const DecisionTable& table) {
  const double reached = score(evidence, table);
  const auto step = std::ranges::find_if(table.steps.rbegin(), table.steps.rend(),
                                         [reached](const RateStep& one) { return reached >= one.score; });
  if (step == table.steps.rend()) return std::nullopt;
  return step->rate;
}

DecisionTable make_decision_table(std::span<const std::vector<Evidence>> sources) {
  DecisionTable out;
  if (sources.empty() || std::ranges::any_of(sources, &std::vector<Evidence>::empty)) {
    fail(ErrorCode::kUsage, "rates of wrong answers take photos whose place is not in the collection, but there are none");
  }
  constexpr double kFloorShare = 0.5, kCeilingShare = 0.05;
  out.floor = 1;
  out.ceiling = -1;
  std::vector<double> ceilings;
  for (const auto& source : sources) {
    std::vector<double> similarities, nexts;
    for (const Evidence& one : source) {
      similarities.push_back(one.similarity);
      nexts.push_back(one.next.value_or(one.similarity));
    }
    out.floor = std::min(out.floor, rounded_up(exceeded_by(nexts, kFloorShare)));
    ceilings.push_back(rounded_up(exceeded_by(similarities, kCeilingShare)));
    out.ceiling = std::max(out.ceiling, ceilings.back());
    out.photos += static_cast<int>(source.size());
  }
  // Sources may be at home at very different similarities; one of them must not decide for all small collections.
  std::ranges::sort(ceilings);
  out.unseen = ceilings[(ceilings.size() - 1) / 2];
  std::vector<std::vector<double>> falling;
  for (const auto& source : sources) falling.push_back(falling_scores(source, out));
  for (const double rate : kRates) {
    double highest = -2;
    for (const auto& scores : falling) {
      const auto one = score_at(scores, rate);
      if (!one) return out;
      highest = std::max(highest, *one);
    }
    out.steps.push_back({rate, highest});
  }
  return out;
}

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNoMatch: return "no match";
    case Verdict::kLikely: return "likely";
    case Verdict::kSure: return "sure";
  }
  return "";
}

Verdicts decide(const Evidence& evidence, const DecisionRule& rule) {
  const Threshold& threshold = rule.threshold;
  const double best = evidence.similarity;
  if (!is_accepted(best, threshold.similarity)) {
    return {Verdict::kNoMatch, std::nullopt,
            fmt::format("no match: similarity {:.4f} is below the threshold {:.4f} ({})", best, *threshold.similarity,
                        threshold.origin)};
  }
  if (!rule.table) {
    if (!threshold.similarity) {
      return {Verdict::kLikely, std::nullopt,
              fmt::format("the most similar place, similarity {:.4f}; no threshold: {}", best, threshold.origin)};
    }
    return {Verdict::kLikely, std::nullopt,
            fmt::format("similarity {:.4f} reaches the threshold {:.4f} ({})", best, *threshold.similarity, threshold.origin)};
  }
  const auto rate = false_rate(evidence, *rule.table);
  const std::string ahead = fmt::format("{:.4f} more alike than other places", score(evidence, *rule.table));
  if (!rate || *rate > rule.max_false_rate) {
    const auto& steps = rule.table->steps;
    const auto needed = std::ranges::find_if(steps, [&](const RateStep& one) { return one.rate <= rule.max_false_rate; });
    const std::string takes =
        needed == steps.end()
            ? fmt::format("a false rate of {:g} takes more photos to calibrate on ({})", rule.max_false_rate, rule.origin)
            : fmt::format("a false rate of {:g} takes {:.4f} ({})", rule.max_false_rate, needed->score, rule.origin);
    return {Verdict::kNoMatch, rate, fmt::format("no match: {}, {}", ahead, takes)};
  }
  const Verdict verdict = *rate <= kSureFalseRate ? Verdict::kSure : Verdict::kLikely;
  return {verdict, rate, fmt::format("{}: {}, false rate {:g} ({})", name_of(verdict), ahead, *rate, rule.origin)};
}

std::vector<Verdicts> decide_all(const std::vector<std::vector<Match>>& matches, const std::vector<Photo>& references,
                                 const DecisionRule& rule) {
  const auto where = [&](int row) {
    const Photo& photo = references[static_cast<std::size_t>(row)];
    return Whereabouts{row, photo.position, photo.time_s};
  };
  std::vector<Verdicts> out;
  for (const auto& list : matches) {
    out.push_back(list.empty() ? Verdicts{.reason = "no match: nothing is left to compare with"}
                               : decide(evidence_of(list, where), rule));
  }
  return out;
}

std::string caution(const DecisionRule& rule, int asked, int accepted) {
  if (!rule.table || accepted == 0 || accepted >= kAnsweredShare * asked) return "";
  return fmt::format(
      "{} of {} photos have an answer; the false rate of {:g} is kept where at least a quarter of them do, and where fewer have "
      "been "
      "there before, up to {:.1f} of these answers are expected to be wrong",
      accepted, asked, rule.max_false_rate, kAnsweredShare * rule.max_false_rate * asked);
}

}  // namespace revisit

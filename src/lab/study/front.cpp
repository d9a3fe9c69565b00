// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Which points of a sweep are worth choosing.
#include <fmt/format.h>

#include <algorithm>

#include "revisit/lab/sweep.h"

namespace revisit {
namespace {

double first_recall(const SweepPoint& point) { return point.evaluation.recall.front().percent; }

/// As fast and as good, and in one of them better.
bool beats(const SweepPoint& a, const SweepPoint& b) {
  const bool no_worse = a.ms_per_image <= b.ms_per_image && first_recall(a) >= first_recall(b);
  return no_worse && (a.ms_per_image < b.ms_per_image || first_recall(a) > first_recall(b));
}

bool is_better(const SweepPoint& a, const SweepPoint& b) {
  return first_recall(a) != first_recall(b) ? first_recall(a) > first_recall(b) : a.ms_per_image < b.ms_per_image;
}

/// Of one model; null when none of its points is in time.
const SweepPoint* best_of(const std::vector<SweepPoint>& points, const std::string& model, double budget_ms) {
  const SweepPoint* best = nullptr;
  for (const auto& point : points) {
    if (point.model != model || point.ms_per_image > budget_ms) continue;
    if (best == nullptr || is_better(point, *best)) best = &point;
  }
  return best;
}

}  // namespace

std::vector<bool> pareto_front(const std::vector<SweepPoint>& points) {
  std::vector<bool> out;
  for (const auto& point : points) {
    out.push_back(std::ranges::none_of(points, [&](const SweepPoint& other) { return beats(other, point); }));
  }
  return out;
}

std::optional<std::size_t> best_within(const std::vector<SweepPoint>& points, double budget_ms) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].ms_per_image <= budget_ms && (!best || is_better(points[i], points[*best]))) best = i;
  }
  return best;
}

std::string setting_text(const std::vector<SweepPoint>& points, const SweepPoint& point) {
  const bool one = std::ranges::all_of(points, [&](const SweepPoint& other) { return other.precision == point.precision; });
  return fmt::format("rho {:g}{}{}", point.rho, one ? "" : ", ", one ? "" : point.precision);
}

std::string budget_sentence(const std::vector<SweepPoint>& points, double budget_ms) {
  if (points.empty()) return {};
  const auto named = [&](const SweepPoint& point) { return fmt::format("{} at {}", point.model, setting_text(points, point)); };
  const auto found = best_within(points, budget_ms);
  if (!found) {
    const auto& fastest = *std::ranges::min_element(points, {}, &SweepPoint::ms_per_image);
    return fmt::format("within {:g} ms: nothing; the fastest is {} ({:.1f} ms)", budget_ms, named(fastest), fastest.ms_per_image);
  }
  const SweepPoint& best = points[*found];
  const SweepPoint* pruned = nullptr;  // the best of the other models that drop more than it
  for (const auto& point : points) {
    if (point.model == best.model || best_of(points, point.model, budget_ms) != &point || point.rho >= best.rho) continue;
    if (pruned == nullptr || is_better(point, *pruned)) pruned = &point;
  }
  const int k = best.evaluation.recall.front().k;
  std::string out = fmt::format("within {:g} ms: {} (R@{} {:.1f}) is ", budget_ms, named(best), k, first_recall(best));
  return pruned == nullptr ? out + "the best"
                           : out + fmt::format("better than {} ({:.1f})", named(*pruned), first_recall(*pruned));
}

}  // namespace revisit

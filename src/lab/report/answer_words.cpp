// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Sentences made from the matches, the threshold and the known places of a run.
#include "lab/report/answer_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "revisit/recognizer.h"

namespace revisit::report {
namespace {

/// Both with as many decimals as it takes to show the difference.
std::pair<std::string, std::string> told_apart(double a, double b) {
  int decimals = 3;
  while (decimals < 9 && a != b && fmt::format("{:.{}f}", a, decimals) == fmt::format("{:.{}f}", b, decimals)) ++decimals;
  return {fmt::format("{:.{}f}", a, decimals), fmt::format("{:.{}f}", b, decimals)};
}

const Photo& reference_of(const RunReport& report, const Match& match) {
  return report.dataset.references[static_cast<std::size_t>(match.row)];
}

std::string rate_words(const RunReport& report, int query) {
  const Decision& decision = report.decisions.at(static_cast<std::size_t>(query));
  const auto rate = decision.false_rate;
  if (decision.verdict == Verdict::kSure) return fmt::format("Sure: accepted down to a false rate of {:g}.", rate.value_or(0));
  if (decision.verdict == Verdict::kLikely)
    return fmt::format("Likely: accepted down to a false rate of {:g}.", rate.value_or(0));
  std::string out = rate ? fmt::format("No match: accepted only at a false rate of {:g}, and {:g} was asked for.", *rate,
                                       *report.run.max_false_rate)
                         : "No match: it hardly stands out from other places.";
  if (const auto right = report.verdict(query, report.matches[static_cast<std::size_t>(query)].front().row))
    out += *right ? " It would have been right." : " It would have been wrong.";
  return out;
}

}  // namespace

std::string metres_words(double distance_m) {
  return distance_m < 10000 ? fmt::format("{:.0f} m", distance_m) : fmt::format("{:.0f} km", distance_m / 1000);
}

std::string place_words(const Position& position) {
  if (const auto& place = position.geographic) return fmt::format("{:.6f}, {:.6f}", place->lat_deg, place->lon_deg);
  return fmt::format("east {:.1f} m, north {:.1f} m", position.east_m, position.north_m);
}

std::string why_words(const RunReport& report, int query) {
  const auto& found = report.matches.at(static_cast<std::size_t>(query));
  if (found.empty()) return "No match: no photo could be compared with this one.";
  if (report.run.max_false_rate && !report.decisions.empty()) return rate_words(report, query);
  if (!report.run.min_similarity) return "Accepted: this run has no threshold, so the most similar photo is the answer.";
  const auto [similarity, threshold] = told_apart(static_cast<double>(found.front().similarity), *report.run.min_similarity);
  if (report.accepted(query)) return fmt::format("Accepted: similarity {} reaches the threshold {}.", similarity, threshold);
  std::string out = fmt::format("No match: the best similarity, {}, is below the threshold {}.", similarity, threshold);
  if (const auto right = report.verdict(query, found.front().row))
    out += *right ? " It would have been right." : " It would have been wrong.";
  return out;
}

std::string where_words(const RunReport& report, int query) {
  const auto is_placed = [](const Photo& photo) { return photo.position.has_value(); };
  const auto& found = report.matches.at(static_cast<std::size_t>(query));
  if (found.empty() || std::ranges::none_of(report.dataset.references, is_placed)) return {};
  const bool accepted = report.accepted(query);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool counts = !accepted || i == 0 || is_accepted(static_cast<double>(found[i].similarity), report.run.min_similarity);
    const Photo& reference = reference_of(report, found[i]);
    if (!counts) break;  // and neither do those after it
    if (!reference.position) continue;
    const std::string place = place_words(*reference.position);
    if (!accepted) return fmt::format("Match {} was taken at {}.", i + 1, place);
    const std::string unplaced = i == 0   ? ""
                                 : i == 1 ? "; match 1 has no known place"
                                          : fmt::format("; matches 1 {} {} have no known place", i == 2 ? "and" : "to", i);
    return fmt::format("Answer: near {}, where match {} was taken{}.", place, i + 1, unplaced);
  }
  return accepted ? "Where it was taken is not known: no match that is good enough has a known place."
                  : "Where its matches were taken is not known.";
}

}  // namespace revisit::report

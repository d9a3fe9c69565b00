// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One line per query, for people to read.
#include "cli/answers.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/words.h"

namespace revisit::cli {
namespace {

// "12 m" next to a right match says more than a name.
std::string place_of(const Photo& query, const Photo& reference) {
  if (!reference.position) return "";
  std::string out;
  if (const auto& place = reference.position->geographic)
    out += fmt::format("  at {:.6f}, {:.6f}", place->lat_deg, place->lon_deg);
  if (query.position) out += fmt::format("  {:.1f} m away", distance_m(*query.position, *reference.position));
  return out;
}

std::string support_text(const RunReport& report, std::size_t q, std::size_t match) {
  const auto support = report.support_of(q, match);
  return support ? fmt::format("  support {:.2f}", *support) : "";
}

bool was_skipped(const RunReport& report, const Photo& query) {
  return std::ranges::find(report.skipped, query.path.string(), &Skipped::path) != report.skipped.end();
}

std::string how_sure(const RunReport& report, std::size_t q) {
  if (!report.run.max_false_rate || report.decisions.empty() || !report.decisions[q].false_rate) return "";
  return fmt::format("  {}, false rate {:g}", name_of(report.decisions[q].verdict), *report.decisions[q].false_rate);
}

// "  86 patches agree" after a second look.
std::string agreeing(const RunReport& report, std::size_t q) {
  const SecondLook* look = report.look(static_cast<int>(q), 0);
  if (look == nullptr) return "";
  return look->pairs.size() == 1 ? "  1 patch agrees" : fmt::format("  {} patches agree", look->pairs.size());
}

std::string line_of(const RunReport& report, std::size_t q) {
  const Photo& query = report.dataset.queries[q];
  const std::string name = on_one_line(query.name);
  const auto& found = report.matches[q];
  if (found.empty()) {
    if (was_skipped(report, query)) return fmt::format("{} -> skipped\n", name);
    return fmt::format("{} -> {}\n", name, report.decisions.empty() ? "no match" : report.decisions[q].reason);
  }
  const Photo& best = report.dataset.references[static_cast<std::size_t>(found.front().row)];
  const std::string best_name = on_one_line(best.name);
  if (!report.accepted(static_cast<int>(q))) {
    return fmt::format("{} -> no match (best {}, similarity {:.4f})\n", name, best_name, found.front().similarity);
  }
  std::string verdict;
  if (report.dataset.labelled) {
    const auto right = report.verdict(static_cast<int>(q), found.front().row);
    verdict = !right ? "  unknown" : *right ? "  right" : "  wrong";
  }
  return fmt::format("{} -> {}  similarity {:.4f}{}{}{}{}{}\n", name, best_name, found.front().similarity, how_sure(report, q),
                     support_text(report, q, 0), agreeing(report, q), place_of(query, best), verdict);
}

// The matches after the first, when asked for: below it, by rank.
std::string further_line(const RunReport& report, std::size_t q, std::size_t rank) {
  const Match& match = report.matches[q][rank - 1];
  const Photo& found = report.dataset.references[static_cast<std::size_t>(match.row)];
  return fmt::format("  {}. {}  similarity {:.4f}{}{}\n", rank, on_one_line(found.name), match.similarity,
                     support_text(report, q, rank - 1), place_of(report.dataset.queries[q], found));
}

}  // namespace

std::optional<double> told_threshold(const Threshold& threshold, Console& console) {
  if (!threshold.notice.empty()) console.talk("notice: " + threshold.notice);
  return threshold.similarity;
}

void record_rule(const DecisionRule& rule, RunRecord& run, Console& console) {
  run.min_similarity = told_threshold(rule.threshold, console);
  if (!rule.table) return;
  run.max_false_rate = rule.max_false_rate;
  run.calibration = rule.origin;
}

void record_verdicts(std::vector<Verdicts> verdicts, RunReport& report) {
  report.decisions.clear();
  for (auto& one : verdicts) {
    report.decisions.push_back({one.verdict != Verdict::kNoMatch, std::move(one.reason), one.verdict, one.false_rate});
  }
}

void tell_caution(const RunReport& report, const DecisionRule& rule, Console& console) {
  const auto accepted = std::ranges::count_if(report.decisions, &Decision::recognised);
  const auto words = caution(rule, static_cast<int>(report.decisions.size()), static_cast<int>(accepted));
  if (!words.empty()) console.talk("notice: " + words);
}

void mention_sequence(Dataset& dataset, int frames) {
  if (frames < 2) return;
  dataset.notes.push_back(fmt::format("matches of the last {} photos support each other: they are ordered by their support", frames));
}

void print_answers(const RunReport& report, int lines, Console& console) {
  if (console.json) return console.data(matches_json(report));
  std::string out;
  for (std::size_t q = 0; q < report.matches.size(); ++q) {
    out += line_of(report, q);
    const std::size_t shown = std::min(static_cast<std::size_t>(lines), report.matches[q].size());
    for (std::size_t rank = 2; rank <= shown; ++rank) out += further_line(report, q, rank);
  }
  if (report.evaluation) out += recall_line(*report.evaluation) + "\n";
  console.data(out);
}

}  // namespace revisit::cli

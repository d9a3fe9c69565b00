// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The queries a page shows, and the scores of their patches: only these photos are described again.
#include <algorithm>

#include "core/base/or_skip.h"
#include "lab/report/examples.h"
#include "lab/report/run_files.h"

namespace revisit {
namespace report {
namespace {

constexpr std::size_t kShown = 12, kShownWrong = 8;

}  // namespace

ShownQueries shown_queries(const RunReport& report) {
  struct Ranked {
    int query;
    float similarity;
  };
  const bool labelled = report.dataset.labelled;
  std::vector<Ranked> good, bad;
  for (std::size_t q = 0; q < report.matches.size(); ++q) {
    if (report.matches[q].empty()) continue;
    const Match& first = report.matches[q].front();
    const auto right = report.verdict(static_cast<int>(q), first.row);
    if (labelled && !right) continue;  // neither best nor worst
    (labelled && !*right ? bad : good).push_back({static_cast<int>(q), first.similarity});
  }
  std::ranges::stable_sort(good, std::greater<>{}, &Ranked::similarity);
  std::ranges::stable_sort(bad, std::greater<>{}, &Ranked::similarity);
  if (!labelled) {  // the least similar half of the rows comes from the other end of the same list
    const std::size_t least = std::min(kShownWrong, good.size() - std::min(good.size(), kShown - kShownWrong));
    bad.assign(good.rbegin(), good.rbegin() + static_cast<std::ptrdiff_t>(least));
    good.resize(good.size() - least);
  }
  const std::size_t num_bad = std::min(bad.size(), std::max(kShownWrong, kShown - std::min(kShown, good.size())));
  const std::size_t num_good = std::min(good.size(), kShown - num_bad);
  ShownQueries out;
  for (std::size_t i = 0; i < num_good; ++i) out.best.push_back(good[i].query);
  for (std::size_t i = 0; i < num_bad; ++i) out.worst.push_back(bad[i].query);
  return out;
}

bool keeps_all(const PatchScores& scores) {
  return scores.kept.size() == static_cast<std::size_t>(scores.grid.height) * static_cast<std::size_t>(scores.grid.width);
}

}  // namespace report

void add_patch_scores(RunReport& report, Extractor& for_queries, Extractor& for_references) {
  report.patches.clear();
  const auto add = [&](bool reference, int row) {
    const auto same = [&](const PhotoPatches& one) { return one.reference == reference && one.row == row; };
    if (std::ranges::any_of(report.patches, same)) return;
    Extractor& extractor = reference ? for_references : for_queries;
    const Size grid = patch_grid(extractor);
    if (grid.height == 0) return;
    DecodeOptions decode;
    decode.orientation = orientation_of(report.run.spec);
    Trace trace;
    const auto& path = (reference ? report.dataset.references : report.dataset.queries)[static_cast<std::size_t>(row)].path;
    if (or_skip(path, [&] { extractor.describe(load_image(path, decode), &trace); })) return;
    auto scores = patch_scores(trace, grid);
    for (float& value : scores.values) value = static_cast<float>(report::rounded_score(value));
    if (!scores.values.empty() || !report::keeps_all(scores)) report.patches.push_back({reference, row, std::move(scores)});
  };
  const report::ShownQueries shown = report::shown_queries(report);
  for (const auto* queries : {&shown.best, &shown.worst}) {
    for (const int q : *queries) {
      add(false, q);
      add(true, report.matches[static_cast<std::size_t>(q)].front().row);
    }
  }
}

}  // namespace revisit

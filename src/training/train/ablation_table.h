// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Results of a study as a table.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace revisit::train {

constexpr std::array<int, 4> kAblationRecallAt{1, 5, 10, 20};
using AblationRecall = std::array<double, 4>;  ///< percent, at each of kAblationRecallAt

using AblationRecalls = std::vector<AblationRecall>;  ///< one for each data set

/// The mean over data sets, each counting the same.
AblationRecall mean_over_sets(const AblationRecalls& sets);

struct AblationLine {
  std::string group, label;
  double rho = 1;
  std::vector<AblationRecalls> seeds;  ///< one per seed, in order
};

/// Markdown: mean over data sets, then over the seeds, with the standard deviation after +- if there are several, and the gain in
/// R@1 over `base` at the same rho and seeds.
std::string ablation_markdown(const std::vector<AblationLine>& lines, const std::vector<AblationLine>& base);
/// One line per seed and data set: group,row,rho,seed,dataset,recall@1,...
std::string ablation_csv(const std::vector<AblationLine>& lines, std::uint64_t first_seed, const std::vector<std::string>& sets);

}  // namespace revisit::train

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Gains are taken seed by seed, because seeds differ more than rows do.
#include "training/train/ablation_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/formats/csv.h"

namespace revisit::train {
namespace {

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// Of a sample.
double deviation_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

std::string in_words(const std::vector<double>& values, bool signed_number = false) {
  const std::string mean = signed_number ? fmt::format("{:+.1f}", mean_of(values)) : fmt::format("{:.1f}", mean_of(values));
  return values.size() > 1 ? fmt::format("{} ±{:.1f}", mean, deviation_of(values)) : mean;
}

std::string gain_on(const std::vector<AblationLine>& base, const AblationLine& line) {
  const auto found = std::ranges::find(base, line.rho, &AblationLine::rho);
  if (found == base.end()) return "";
  std::vector<double> gains;
  for (std::size_t i = 0; i < std::min(line.seeds.size(), found->seeds.size()); ++i) {
    gains.push_back(mean_over_sets(line.seeds[i])[0] - mean_over_sets(found->seeds[i])[0]);
  }
  return gains.empty() ? "" : in_words(gains, true);
}

}  // namespace

AblationRecall mean_over_sets(const AblationRecalls& sets) {
  AblationRecall out{};
  for (const auto& one : sets) {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += one[k] / static_cast<double>(sets.size());
  }
  return out;
}

std::string ablation_markdown(const std::vector<AblationLine>& lines, const std::vector<AblationLine>& base) {
  std::string out =
      "| group | row | rho | seeds | R@1 | R@5 | R@10 | R@20 | R@1 minus full model |\n|---|---|---|---|---|---|---|---|---|\n";
  for (const auto& line : lines) {
    out += fmt::format("| {} | {} | {:g} | {} ", line.group, line.label, line.rho, line.seeds.size());
    for (std::size_t k = 0; k < kAblationRecallAt.size(); ++k) {
      std::vector<double> values;
      for (const auto& seed : line.seeds) values.push_back(mean_over_sets(seed)[k]);
      out += "| " + in_words(values) + " ";
    }
    out += "| " + gain_on(base, line) + " |\n";
  }
  return out;
}

std::string ablation_csv(const std::vector<AblationLine>& lines, std::uint64_t first_seed, const std::vector<std::string>& sets) {
  std::string out = "group,row,rho,seed,dataset,recall@1,recall@5,recall@10,recall@20\n";
  for (const auto& line : lines) {
    for (std::size_t s = 0; s < line.seeds.size(); ++s) {
      for (std::size_t d = 0; d < line.seeds[s].size(); ++d) {
        const auto& recall = line.seeds[s][d];
        out += fmt::format("{},{},{:g},{},{},{:.4f},{:.4f},{:.4f},{:.4f}\n", line.group, csv_cell(line.label), line.rho,
                           first_seed + s, csv_cell(sets.at(d)), recall[0], recall[1], recall[2], recall[3]);
      }
    }
  }
  return out;
}

}  // namespace revisit::train

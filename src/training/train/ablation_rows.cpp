// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Six combinations of parts, then one number changed at a time.
#include "training/train/ablation_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace revisit::train {
namespace {

struct Parts {
  const char* label;
  bool dustbin, ghost, tiers;
};
constexpr Parts kParts[] = {{"none", false, false, false}, {"dustbin", true, false, false},
                            {"ghost", false, true, false}, {"dustbin + ghost", true, true, false},
                            {"tiers", false, false, true}, {"dustbin + ghost + tiers", true, true, true}};

std::vector<int> equal_tiers(int clusters, int tiers) {
  std::vector<int> out(static_cast<std::size_t>(tiers), clusters / tiers);
  for (int i = 0; i < clusters % tiers; ++i) ++out[static_cast<std::size_t>(i)];
  return out;
}

std::string sizes_of(const std::vector<int>& tiers) { return fmt::format("{}", fmt::join(tiers, "/")); }

}  // namespace

const std::vector<std::string>& ablation_groups() {
  static const std::vector<std::string> groups{"parts", "tiers", "delta", "gamma", "layer", "kappa", "cluster"};
  return groups;
}

AblationRow ablation_base(const TrainConfig& base, int seeds) { return {"parts", kParts[5].label, base, {1.0}, seeds}; }

std::vector<AblationRow> ablation_rows(const TrainConfig& base, int depth, int seeds) {
  const AblationRow whole = ablation_base(base, seeds);
  std::vector<AblationRow> rows;
  for (const auto& parts : kParts) {
    AblationRow row = whole;
    row.label = parts.label;
    row.config.model.dustbin = parts.dustbin;
    row.config.model.ghost = parts.ghost;
    if (!parts.tiers) row.config.model.tiers = {base.model.clusters};
    rows.push_back(row);
  }
  const auto add = [&](const std::string& group, const std::string& label, std::vector<double> rhos) -> TrainConfig& {
    rows.push_back({group, label, whole.config, std::move(rhos), seeds});
    return rows.back().config;
  };
  std::vector<int> reversed = base.model.tiers;
  std::ranges::reverse(reversed);
  const auto equal = equal_tiers(base.model.clusters, static_cast<int>(base.model.tiers.size()));
  for (const auto& tiers : {base.model.tiers, equal, reversed}) add("tiers", sizes_of(tiers), {1.0}).model.tiers = tiers;
  for (const double delta : {0.0, 0.05, 0.1, 0.25, 0.33}) {
    add("delta", fmt::format("{:g}", delta), {1.0}).model.tier_delta = delta;
  }
  if (!base.model.weitop) return rows;
  for (const double gamma : {0.01, 0.1, 1.0, 10.0}) {
    TrainConfig& config = add("gamma", fmt::format("{:g}", gamma), {1.0, 0.5});
    config.loss.gamma = gamma;
    config.loss.teacher_gradient = config.loss.summed_kl = true;
  }
  for (const bool teacher : {false, true}) {
    for (const int layer : {0, 1, 2, 3, 6}) {
      if (layer >= depth) continue;
      const auto label = fmt::format("after block {}{}", layer, teacher ? ", teacher gradient" : "");
      TrainConfig& config = add("layer", label, {1.0, 0.7, 0.5, 0.4});
      config.model.own.prune_layer = layer;
      if (teacher) config.loss.teacher_gradient = config.loss.summed_kl = true;
    }
  }
  for (const double kappa : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    add("kappa", fmt::format("{:g}", kappa), {0.7, 0.5, 0.4}).model.own.kappa = kappa;
    rows.back().trains = false;
  }
  return rows;
}

}  // namespace revisit::train

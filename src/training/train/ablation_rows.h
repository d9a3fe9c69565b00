// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The study of the paper as training runs: each row changes one thing of a configuration.
#pragma once

#include <string>
#include <vector>

#include "revisit/lab/train.h"

namespace revisit::train {

struct AblationRow {
  std::string group;
  std::string label;
  TrainConfig config;
  std::vector<double> rhos;  ///< where it is measured
  int seeds = 1;             ///< config.seed and those after it
  bool trains = true;        ///< false: what differs is decided when a model is used, so the base's model serves
};

/// parts: dustbin, ghost token and tiers on and off, with all seeds; tiers: other sizes; delta: how much lighter each tier starts;
/// gamma: with teacher gradient and summed KL, since otherwise it cannot act; layer: WeiToP after block 0 (the patch embedding),
/// 1, 2, 3, 6, as far as the backbone has them; kappa: without training. (The group cluster is no row: one model gives it all.)
std::vector<AblationRow> ablation_rows(const TrainConfig& base, int depth, int seeds);

/// Every group there is, in the order of the table.
const std::vector<std::string>& ablation_groups();

/// The row all others are compared with.
AblationRow ablation_base(const TrainConfig& base, int seeds);

}  // namespace revisit::train

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The study of the paper as training runs: each row changes one thing in a configuration.
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
  bool trains = true;        ///< false: the difference is made at inference, so the base's model is used
};

/// parts: dustbin, ghost token and tiers on and off; tiers: other sizes; delta: how much lighter each tier starts; gamma: with
/// teacher gradient and summed KL, since otherwise it cannot act; layer: WeiToP after block 0 (the patch embedding), 1, 2, 3, 6,
/// as far as the backbone has them, without and with that gradient, which the paper's harm at rho 1 needs; kappa: without
/// training. (The group cluster is not a row: one model gives all of it.)
std::vector<AblationRow> ablation_rows(const TrainConfig& base, int depth, int seeds);

/// All groups, in the order of the table.
const std::vector<std::string>& ablation_groups();

/// The row all others are compared with.
AblationRow ablation_base(const TrainConfig& base, int seeds);

}  // namespace revisit::train

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The settings of heads that assign tokens to clusters by optimal transport: SALAD, WeiAD and MegaLoc.
#pragma once

#include <string>
#include <vector>

namespace revisit::model {

/// Where the tier weights act (algorithms.md A1): after the per-cluster L2, before it (so that it cancels them), or with no
/// per-cluster L2.
enum class ClusterNorm { kWeightAfter, kSalad, kNone };

struct TransportHead {
  int clusters = 0;     // M
  int cluster_dim = 0;  // l
  int token_dim = 0;    // of the part that comes from CLS
  int hidden = 0;
  int sinkhorn_iters = 3;
  // WeiAD only
  std::vector<int> tiers{};  // sizes, best tier first; they sum to `clusters`
  double ghost_penalty = 0.5;
  double tier_floor = 1e-3;
  bool dustbin = true;
  bool ghost = true;
  ClusterNorm norm = ClusterNorm::kWeightAfter;
  bool frozen_ranking = false;  // clusters are ranked as they were on average while training, not by each photo

  int projected = 0;  // MegaLoc only: outputs of the layer behind

  int assembled_dim() const { return clusters * cluster_dim + token_dim; }
  int descriptor_dim() const { return projected > 0 ? projected : assembled_dim(); }
};

const char* name_of(ClusterNorm norm);  // weight-after, salad, none
ClusterNorm cluster_norm_from(const std::string& word);

/// WeiAD's 24/20/16/4 of 64 clusters, scaled to any number of clusters; equal shares for other numbers of tiers.
std::vector<int> default_tiers(int clusters, int tiers);

}  // namespace revisit::model

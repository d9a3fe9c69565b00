// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// WeiAD: optimal transport with dustbin cluster and ghost token; clusters ranked per image and weighted by tier.
// Symbols: F features, S scores, z extra score, P transport, alpha rank key, tau tier, w tier weight, V cluster sums.
#pragma once

#include <span>
#include <vector>

#include "engine/aggregate/aggregator.h"
#include "engine/aggregate/head_parts.h"

namespace revisit::aggregate {

/// w_0 = exp(theta0), w_t = max(w_0 - sum_{k <= t} softplus(theta_delta_k), floor): 1 + theta_delta.size() weights.
std::vector<float> tier_weights(double theta0, std::span<const float> theta_delta, double floor);

/// order: clusters by falling alpha, equal ones by index, NaN last. tier[j]: the first sizes[0] of them are in tier 0, ...
/// sizes sum to alpha.size(); order and tier are resized.
void assign_tiers(std::span<const float> alpha, const std::vector<int>& sizes, std::span<int> order, std::span<int> tier);

class Weiad final : public Aggregator {
 public:
  /// Reads `aggregator.*` with theta0 and thetaD. Throws Error kBadModel.
  explicit Weiad(const model::LoadedModel& model);

  int dim() const override { return head_.descriptor_dim(); }
  void aggregate(const tensor::Features& features, float* descriptor, tensor::Arena& arena, HeadTrace* trace) const override;

 private:
  struct Ranking {  // each (M), in the arena
    std::span<float> alpha;
    std::span<int> order, tier;
    std::span<float> weight;  // w of each cluster's tier
  };
  Ranking rank_clusters(const Transport& transport, int tokens, tensor::Arena& arena) const;

  model::TransportHead head_;
  HeadMlps mlps_;
  float z_;
  std::vector<float> tier_weight_;     // (T)
  std::span<const float> mean_alpha_;  // (M) of a frozen ranking, else empty
};

}  // namespace revisit::aggregate

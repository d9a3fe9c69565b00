// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What turns the features of one photo into its descriptor.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor/arena.h"
#include "core/tensor/features.h"
#include "engine/model/config.h"

namespace revisit::aggregate {

/// What happened inside a head, for one image (K patches, M clusters, T tiers). Vectors that do not apply stay empty.
struct HeadTrace {
  // Written by `describe --dump`.
  std::vector<float> transport;    // (K, M) real part of P
  std::vector<float> ghost;        // (M) the ghost token's share of each cluster
  std::vector<float> alpha;        // (M) mass from patches minus ghost penalty
  std::vector<std::int64_t> tier;  // (M) 0 is the best
  std::vector<float> tier_weight;  // (T)
  std::vector<float> importance;   // (K) sum over clusters of weight * P
  // Further steps, for whoever checks the maths.
  std::vector<float> scores;         // (K, M) S
  std::vector<float> features;       // (K, l) F
  std::vector<float> token_feature;  // (g) from CLS, before its L2
  std::vector<float> plan;           // (K + ghost, M + dustbin) P
  std::vector<float> log_plan;       // the same, log P
  std::vector<float> cluster_sums;   // (M, l) V, before any norm
  std::vector<float> weighted;       // (M, l) what is flattened into the descriptor
  std::vector<std::int64_t> order;   // (M) clusters by falling alpha
};

/// Weights only: one object serves several threads at once, each with an arena of its own. It must not outlive the model it was
/// made from.
class Aggregator {
 public:
  virtual ~Aggregator() = default;

  virtual int dim() const = 0;
  /// Whether the features it reads have gone through the backbone's final norm.
  virtual bool wants_final_norm() const { return true; }

  /// Throws Error kUsage when the head cannot work on inputs that give such a grid of patches or cells.
  virtual void check(Size /*grid*/) const {}

  /// At least one patch, or cell of a feature map. Writes dim() floats of unit length. Throws Error kUsage when the head cannot
  /// work with so few patches (SALAD), kBadModel for features of a kind it cannot read. trace may be null.
  virtual void aggregate(const tensor::Features& features, float* descriptor, tensor::Arena& arena, HeadTrace* trace) const = 0;
};

/// The head of the model, or for a backbone-only model the pooling named by `word` (cls, mean, gem). Throws Error kUsage when
/// a word is given to a model with a head, is missing for one without, or is unknown; kBadModel for an impossible head.
std::unique_ptr<Aggregator> make_aggregator(const model::LoadedModel& model, const std::optional<std::string>& word);

}  // namespace revisit::aggregate

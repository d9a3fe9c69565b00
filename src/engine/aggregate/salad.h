// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// SALAD: optimal transport of tokens to clusters with a dustbin, one sum per cluster, each of unit length.
#pragma once

#include "engine/aggregate/aggregator.h"
#include "engine/aggregate/head_parts.h"

namespace revisit::aggregate {

class Salad final : public Aggregator {
 public:
  /// Reads `aggregator.*`. Throws Error kBadModel.
  explicit Salad(const model::LoadedModel& model);

  int dim() const override { return head_.assembled_dim(); }
  /// Needs more patches than clusters.
  void aggregate(const tensor::Features& features, float* descriptor, tensor::Arena& arena, HeadTrace* trace) const override;

 private:
  model::TransportHead head_;
  HeadMlps mlps_;
  float z_;
};

}  // namespace revisit::aggregate

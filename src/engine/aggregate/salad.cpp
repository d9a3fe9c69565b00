// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The SALAD head.
#include "engine/aggregate/salad.h"

#include <numeric>

#include "engine/aggregate/head_kernels.h"

namespace revisit::aggregate {

Salad::Salad(const model::LoadedModel& model)
    : head_(model.config.head.transport()),
      mlps_(model.weights, head_, model.config.backbone.width()),
      z_(*model.weights.f32_data("aggregator.dust_bin", 1)) {}

void Salad::aggregate(const tensor::Features& features, float* descriptor, tensor::Arena& arena, HeadTrace* trace) const {
  const tensor::Arena::Scope scope(arena);
  const int tokens = features.tokens().patches();
  const LogMarginals masses = marginals(total_mass(features.mass(), tokens), head_.clusters, true, false);
  const HeadMlps::Result mlps = mlps_(features.tokens(), arena);
  const Transport transport = sinkhorn(mlps.scores, z_, masses, head_.sinkhorn_iters, arena, features.mass());

  const tensor::ConstMatrix real{transport.plan.data, tokens, head_.clusters, transport.plan.stride};
  const tensor::Matrix sums = arena.matrix(head_.clusters, head_.cluster_dim);
  weighted_sums(real, mlps.features, sums);
  if (trace != nullptr) trace_steps(mlps, transport, z_, sums, *trace);
  normalise_clusters(sums, nullptr, model::ClusterNorm::kWeightAfter);
  assemble(mlps.token, sums, descriptor);

  if (trace == nullptr) return;
  trace->weighted = values_of(sums);
  for (int i = 0; i < real.rows; ++i) {
    trace->importance.push_back(static_cast<float>(std::accumulate(real.row(i), real.row(i) + real.cols, 0.0)));
  }
}

std::unique_ptr<Aggregator> make_salad(const model::LoadedModel& model) { return std::make_unique<Salad>(model); }

}  // namespace revisit::aggregate

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The WeiAD head, step by step as in the paper.
#include "engine/aggregate/weiad.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/fail.h"
#include "engine/aggregate/head_kernels.h"

namespace revisit::aggregate {
namespace {

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

const model::TransportHead& checked(const model::TransportHead& head) {
  // Tiers index clusters below, so this must hold even for a config that was never read from a file.
  const auto sum = std::accumulate(head.tiers.begin(), head.tiers.end(), std::int64_t{0});
  if (sum != head.clusters || std::ranges::any_of(head.tiers, [](int size) { return size < 0; })) {
    fail(ErrorCode::kBadModel, "the model's tiers hold {} clusters in {} sizes, but its head has {}", sum, head.tiers.size(),
         head.clusters);
  }
  return head;
}

std::vector<float> read_tier_weights(const model::LoadedModel& model) {
  const auto deltas = model.config.head.transport().tiers.size() - 1;
  const float theta0 = *model.weights.f32_data("aggregator.theta0", 1);
  const float* theta_delta =
      deltas > 0 ? model.weights.f32_data("aggregator.thetaD", static_cast<std::int64_t>(deltas)) : nullptr;
  std::vector<float> weights = tier_weights(theta0, {theta_delta, deltas}, model.config.head.transport().tier_floor);
  for (const float w : weights) {
    if (!std::isfinite(w)) fail(ErrorCode::kBadModel, "the model's theta0 = {} gives a tier weight of {}", theta0, w);
  }
  return weights;
}

std::span<const float> read_mean_alpha(const model::LoadedModel& model) {
  const model::TransportHead& head = model.config.head.transport();
  if (!head.frozen_ranking) return {};
  return {model.weights.f32_data("aggregator.mean_alpha", head.clusters), static_cast<std::size_t>(head.clusters)};
}

std::vector<std::int64_t> widened(std::span<const int> values) { return {values.begin(), values.end()}; }

}  // namespace

std::vector<float> tier_weights(double theta0, std::span<const float> theta_delta, double floor) {
  double weight = std::exp(theta0);
  std::vector<float> out{static_cast<float>(weight)};
  for (const float delta : theta_delta) {
    weight -= softplus(delta);
    out.push_back(static_cast<float>(std::max(weight, floor)));
  }
  return out;
}

void assign_tiers(std::span<const float> alpha, const std::vector<int>& sizes, std::span<int> order, std::span<int> tier) {
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int j) {
    const float value = alpha[static_cast<std::size_t>(j)];
    return std::isnan(value) ? -INFINITY : value;
  };
  std::ranges::sort(order, [&](int a, int b) { return key(a) != key(b) ? key(a) > key(b) : a < b; });
  auto next = order.begin();
  for (std::size_t t = 0; t < sizes.size(); ++t) {
    for (int i = 0; i < sizes[t]; ++i) tier[static_cast<std::size_t>(*next++)] = static_cast<int>(t);
  }
}

Weiad::Weiad(const model::LoadedModel& model)
    : head_(checked(model.config.head.transport())),
      mlps_(model.weights, head_, model.config.backbone.width()),
      z_(*model.weights.f32_data("aggregator.dust_bin", 1)),
      tier_weight_(read_tier_weights(model)),
      mean_alpha_(read_mean_alpha(model)) {}

// alpha_j = sum_i P_ij - penalty * ghost_j, then the tier of each cluster (by mean_alpha in a frozen ranking) and its weight.
Weiad::Ranking Weiad::rank_clusters(const Transport& transport, int tokens, tensor::Arena& arena) const {
  const auto clusters = static_cast<std::size_t>(head_.clusters);
  const std::span<double> mass = arena.numbers<double>(clusters);
  std::ranges::fill(mass, 0.0);
  for (int i = 0; i < tokens; ++i) {
    const float* row = transport.plan.row(i);
    for (std::size_t j = 0; j < clusters; ++j) mass[j] += row[j];
  }
  const Ranking out{arena.numbers<float>(clusters), arena.numbers<int>(clusters), arena.numbers<int>(clusters),
                    arena.numbers<float>(clusters)};
  for (std::size_t j = 0; j < clusters; ++j) {
    const double ghost = head_.ghost ? transport.plan.row(tokens)[j] : 0.0;
    out.alpha[j] = static_cast<float>(mass[j] - head_.ghost_penalty * ghost);
  }
  assign_tiers(mean_alpha_.empty() ? std::span<const float>(out.alpha) : mean_alpha_, head_.tiers, out.order, out.tier);
  for (std::size_t j = 0; j < clusters; ++j) out.weight[j] = tier_weight_[static_cast<std::size_t>(out.tier[j])];
  return out;
}

void Weiad::aggregate(const tensor::Features& features, float* descriptor, tensor::Arena& arena, HeadTrace* trace) const {
  const tensor::Arena::Scope scope(arena);
  const int tokens = features.tokens().patches();
  const LogMarginals masses = marginals(total_mass(features.mass(), tokens), head_.clusters, head_.dustbin, head_.ghost);
  const HeadMlps::Result mlps = mlps_(features.tokens(), arena);  // t, F, S
  const Transport transport = sinkhorn(mlps.scores, z_, masses, head_.sinkhorn_iters, arena, features.mass());
  const Ranking ranking = rank_clusters(transport, tokens, arena);

  const tensor::ConstMatrix real{transport.plan.data, tokens, head_.clusters, transport.plan.stride};
  const tensor::Matrix sums = arena.matrix(head_.clusters, head_.cluster_dim);  // V
  weighted_sums(real, mlps.features, sums);
  if (trace != nullptr) trace_steps(mlps, transport, z_, sums, *trace);
  normalise_clusters(sums, ranking.weight.data(), head_.norm);
  assemble(mlps.token, sums, descriptor);

  if (trace == nullptr) return;
  trace->weighted = values_of(sums);
  if (head_.ghost) trace->ghost.assign(transport.plan.row(tokens), transport.plan.row(tokens) + head_.clusters);
  trace->alpha.assign(ranking.alpha.begin(), ranking.alpha.end());
  trace->tier = widened(ranking.tier);
  trace->order = widened(ranking.order);
  trace->tier_weight = tier_weight_;
  for (int i = 0; i < tokens; ++i) {  // what WeiToP's student learns
    const float* row = real.row(i);
    trace->importance.push_back(static_cast<float>(std::inner_product(row, row + real.cols, ranking.weight.begin(), 0.0)));
  }
}

std::unique_ptr<Aggregator> make_weiad(const model::LoadedModel& model) { return std::make_unique<Weiad>(model); }

}  // namespace revisit::aggregate

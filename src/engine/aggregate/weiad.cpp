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

std::vector<std::int64_t> widened(const std::vector<int>& values) { return {values.begin(), values.end()}; }

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

void assign_tiers(std::span<const float> alpha, const std::vector<int>& sizes, std::vector<int>& order, std::vector<int>& tier) {
  order.resize(alpha.size());
  tier.resize(alpha.size());
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
      mass_(static_cast<std::size_t>(head_.clusters)),
      alpha_(mass_.size()),
      weight_(mass_.size()) {}

// alpha_j = sum_i P_ij - penalty * ghost_j, then the tier of each cluster and its weight.
void Weiad::rank_clusters(const Transport& transport, int tokens) {
  const std::size_t clusters = alpha_.size();
  std::ranges::fill(mass_, 0.0);
  for (int i = 0; i < tokens; ++i) {
    const float* row = transport.plan.row(i);
    for (std::size_t j = 0; j < clusters; ++j) mass_[j] += row[j];
  }
  for (std::size_t j = 0; j < clusters; ++j) {
    const double ghost = head_.ghost ? transport.plan.row(tokens)[j] : 0.0;
    alpha_[j] = static_cast<float>(mass_[j] - head_.ghost_penalty * ghost);
  }
  assign_tiers(alpha_, head_.tiers, order_, tier_);
  for (std::size_t j = 0; j < clusters; ++j) weight_[j] = tier_weight_[static_cast<std::size_t>(tier_[j])];
}

void Weiad::aggregate(const tensor::Features& features, float* descriptor, tensor::Arena& arena, HeadTrace* trace) {
  const tensor::Arena::Scope scope(arena);
  const int tokens = features.tokens().patches();
  const LogMarginals masses = marginals(tokens, head_.clusters, head_.dustbin, head_.ghost);
  const HeadMlps::Result mlps = mlps_(features.tokens(), arena);  // t, F, S
  const Transport transport = sinkhorn(mlps.scores, z_, masses, head_.sinkhorn_iters, arena);
  rank_clusters(transport, tokens);

  const tensor::ConstMatrix real{transport.plan.data, tokens, head_.clusters, transport.plan.stride};
  const tensor::Matrix sums = arena.matrix(head_.clusters, head_.cluster_dim);  // V
  weighted_sums(real, mlps.features, sums);
  if (trace != nullptr) trace_steps(mlps, transport, z_, sums, *trace);
  normalise_clusters(sums, weight_.data(), head_.norm);
  assemble(mlps.token, sums, descriptor);

  if (trace == nullptr) return;
  trace->weighted = values_of(sums);
  if (head_.ghost) trace->ghost.assign(transport.plan.row(tokens), transport.plan.row(tokens) + head_.clusters);
  trace->alpha = alpha_;
  trace->tier = widened(tier_);
  trace->order = widened(order_);
  trace->tier_weight = tier_weight_;
  for (int i = 0; i < tokens; ++i) {  // what WeiToP's student learns
    const float* row = real.row(i);
    trace->importance.push_back(static_cast<float>(std::inner_product(row, row + real.cols, weight_.begin(), 0.0)));
  }
}

std::unique_ptr<Aggregator> make_weiad(const model::LoadedModel& model) { return std::make_unique<Weiad>(model); }

}  // namespace revisit::aggregate

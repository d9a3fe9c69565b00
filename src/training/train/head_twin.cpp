// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The heads, step by step as in src/aggregate; Sinkhorn is unrolled, so gradients go through its iterations.
// Symbols: F features, S scores, z extra score, P transport, u and v potentials, alpha rank key, w tier weight, V cluster sums.
#include "training/train/head_twin.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "engine/aggregate/sinkhorn.h"

namespace revisit::train {
namespace {

constexpr double kTiny = 1e-12;  // a shorter vector has no direction and is left nearly zero

torch::Tensor l2_normalise(const torch::Tensor& x) { return x / x.norm(2, -1, true).clamp_min(kTiny); }

/// Linear, dropout, ReLU, Linear: SALAD's order.
torch::Tensor mlp(const Tensors& tensors, const std::string& first, const std::string& second, const torch::Tensor& x,
                  double dropout) {
  return linear(tensors, second, torch::relu(torch::dropout(linear(tensors, first, x), dropout, dropout > 0)));
}

/// log of the masses of one side: `usual` for each of `count`, then the extra one when there is one. (count + 1 or count)
torch::Tensor log_masses(std::int64_t count, double usual, const std::optional<double>& extra, const torch::TensorOptions& like) {
  torch::Tensor masses = torch::full({count}, usual, like);
  return extra ? torch::cat({masses, torch::full({1}, *extra, like)}) : masses;
}

/// Logarithms of what columns must hold, (B or 1, 1, M + dustbin), for pictures of N tokens, or of tokens of mass (B, N).
torch::Tensor column_masses(const torch::Tensor& mass, std::int64_t tokens, std::int64_t clusters, bool dustbin, bool ghost,
                            const torch::TensorOptions& like) {
  std::vector<torch::Tensor> rows;
  for (std::int64_t i = 0; i < (mass.defined() ? mass.size(0) : 1); ++i) {
    const double n = mass.defined() ? std::max(1.0, mass[i].sum().item<double>()) : static_cast<double>(tokens);
    const aggregate::LogMarginals masses = aggregate::marginals(n, static_cast<int>(clusters), dustbin, ghost);
    rows.push_back(log_masses(clusters, masses.cluster, masses.dustbin, like));
  }
  return torch::stack(rows).unsqueeze(1);
}

/// S (B, N, M) -> P (B, N + ghost, M + dustbin). mass (B, N) of the tokens; undefined: 1 each.
torch::Tensor transport(const torch::Tensor& scores, const torch::Tensor& z, bool dustbin, bool ghost, int iterations,
                        const torch::Tensor& mass) {
  constexpr double kNearlyNothing = 1e-30;  // a mass of 0, of which there is a logarithm
  const auto batch = scores.size(0);
  const auto tokens = scores.size(1);
  const auto clusters = scores.size(2);
  const auto options = scores.options();
  // Rows hold their mass, the ghost's M. The gradient of a mass goes through the last step alone.
  torch::Tensor rows = mass.defined() ? mass.to(torch::kFloat32) : torch::ones({1, tokens}, options);
  if (ghost) rows = torch::cat({rows, torch::full({rows.size(0), 1}, static_cast<double>(clusters), options)}, 1);
  rows = rows.unsqueeze(2);
  const torch::Tensor log_a = rows.detach().clamp_min(kNearlyNothing).log();
  const torch::Tensor log_b = column_masses(mass.defined() ? mass.detach() : mass, tokens, clusters, dustbin, ghost, options);

  torch::Tensor s = scores;
  if (dustbin) s = torch::cat({s, z.expand({batch, tokens, 1})}, 2);
  if (ghost) s = torch::cat({s, z.expand({batch, 1, s.size(2)})}, 1);
  torch::Tensor v = torch::zeros({batch, s.size(1), 1}, s.options());
  if (mass.defined()) v = v + torch::cat({log_a.slice(1, 0, tokens), v.slice(1, tokens)}, 1);  // as that many tokens would begin
  torch::Tensor shifted;                                                                       // S + u
  for (int i = 0; i < iterations; ++i) {
    shifted = s + (log_b - torch::logsumexp(s + v, 1, true));
    if (i + 1 < iterations) v = log_a - torch::logsumexp(shifted, 2, true);
  }
  // The last token update and the exponential are one softmax: tokens hold exactly their mass.
  return mass.defined() ? torch::softmax(shifted, 2) * rows : torch::exp(torch::log_softmax(shifted, 2) + log_a);
}

/// w_0 = exp(theta0), w_t = max(w_0 - sum_{k <= t} softplus(thetaD_k), floor): (T)
torch::Tensor tier_weights(const model::TransportHead& head, const Tensors& tensors) {
  const torch::Tensor best = torch::exp(tensors.at("aggregator.theta0")).reshape({1});
  if (head.tiers.size() == 1) return best;  // no steps
  const torch::Tensor fall = torch::softplus(tensors.at("aggregator.thetaD")).cumsum(0);
  return torch::cat({best, (best - fall).clamp_min(head.tier_floor)});
}

/// The tier of each cluster by its rank in falling alpha, equal ones by index: (B, M). No gradient goes through the order.
torch::Tensor assign_tiers(const std::vector<int>& sizes, const torch::Tensor& alpha) {
  std::vector<std::int64_t> tier_of_rank;
  for (std::size_t t = 0; t < sizes.size(); ++t)
    tier_of_rank.insert(tier_of_rank.end(), static_cast<std::size_t>(sizes[t]), static_cast<std::int64_t>(t));
  const torch::Tensor ranks = torch::tensor(tier_of_rank, torch::kInt64).to(alpha.device()).expand(alpha.sizes());
  const torch::Tensor order = torch::argsort(alpha, /*stable=*/true, /*dim=*/1, /*descending=*/true);
  return torch::zeros_like(order).scatter(1, order, ranks);
}

/// V (B, M, l) scaled by w (B, M, 1) and brought to unit length, in the order `norm` says.
torch::Tensor normalise_clusters(const torch::Tensor& sums, const torch::Tensor& weight, model::ClusterNorm norm) {
  if (norm == model::ClusterNorm::kWeightAfter) return l2_normalise(sums) * weight;
  if (norm == model::ClusterNorm::kSalad) return l2_normalise(sums * weight);
  return sums * weight;
}

}  // namespace

HeadResult run_head(const model::HeadConfig& config, const Tensors& tensors, const torch::Tensor& cls,
                    const torch::Tensor& patches, double dropout, const torch::Tensor& mass) {
  const model::TransportHead& head = config.transport();
  const bool weiad = config.kind == model::kWeiad;
  const bool dustbin = weiad ? head.dustbin : true;
  const bool ghost = weiad && head.ghost;
  const std::string root = "aggregator.";
  const torch::Tensor token = mlp(tensors, root + "token_features.0", root + "token_features.2", cls, 0);
  const torch::Tensor features = mlp(tensors, root + "cluster_features.0", root + "cluster_features.3", patches, dropout);
  // Transport in f32 whatever the precision of the products: its exponentials overflow f16.
  const torch::Tensor scores = mlp(tensors, root + "score.0", root + "score.3", patches, dropout).to(torch::kFloat32);
  const torch::Tensor plan = transport(scores, tensors.at(root + "dust_bin"), dustbin, ghost, head.sinkhorn_iters, mass);
  const torch::Tensor real = plan.slice(1, 0, patches.size(1)).slice(2, 0, head.clusters);  // (B, N, M)

  HeadResult out;
  if (ghost) out.ghost = plan.select(1, patches.size(1)).slice(1, 0, head.clusters).detach();
  torch::Tensor clusters = torch::bmm(real.transpose(1, 2), features.to(real.scalar_type()));  // V (B, M, l)
  if (weiad) {
    out.alpha = real.detach().sum(1);
    if (ghost) out.alpha = out.alpha - head.ghost_penalty * out.ghost;
    out.tier_of = assign_tiers(
        head.tiers, head.frozen_ranking ? tensors.at(root + "mean_alpha").expand(out.alpha.sizes()).contiguous() : out.alpha);
    const torch::Tensor tiers = tier_weights(head, tensors);
    // A masked sum instead of indexing: its gradient has a fixed order of summation on every device.
    const torch::Tensor weight = (torch::one_hot(out.tier_of, tiers.size(0)) * tiers).sum(2);  // (B, M)
    clusters = normalise_clusters(clusters, weight.unsqueeze(2), head.norm);
    out.importance = (real * weight.unsqueeze(1)).sum(2);
  } else {
    clusters = l2_normalise(clusters);
    out.importance = real.sum(2);
  }
  // The cluster runs fastest: channel * M + cluster.
  out.descriptor = l2_normalise(torch::cat({l2_normalise(token), clusters.transpose(1, 2).flatten(1)}, 1));
  return out;
}

}  // namespace revisit::train

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Multi-similarity miner and loss as pytorch-metric-learning computes them, WeiToP's distillation, and how far a
// pruned picture deviates.
#include "training/train/losses.h"

#include <limits>

namespace revisit::train {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// (B, B): whether anchor and other show the same place.
torch::Tensor same_place(const torch::Tensor& labels) { return labels.unsqueeze(1) == labels.unsqueeze(0); }

torch::Tensor not_oneself(const torch::Tensor& labels) {
  return torch::eye(labels.size(0), labels.options().dtype(torch::kBool)).logical_not();
}

/// log(1 + sum of exp(x) where mask) for each row; 0 for a row without pairs.
torch::Tensor log_one_plus_sum(const torch::Tensor& x, const torch::Tensor& mask) {
  const torch::Tensor zero = torch::zeros({x.size(0), 1}, x.options());
  return torch::logsumexp(torch::cat({x.masked_fill(mask.logical_not(), -kInfinity), zero}, 1), 1);
}

}  // namespace

MinedPairs mine_pairs(const torch::Tensor& similarities, const torch::Tensor& labels, double epsilon) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor s = similarities.detach();
  const torch::Tensor same = same_place(labels);
  const torch::Tensor positive = same & not_oneself(labels);
  const torch::Tensor negative = same.logical_not();
  // An anchor without negatives keeps no positives and the other way round: infinities make every comparison false.
  const torch::Tensor hardest_negative = s.masked_fill(negative.logical_not(), -kInfinity).amax(1, true);
  const torch::Tensor hardest_positive = s.masked_fill(positive.logical_not(), kInfinity).amin(1, true);
  return {positive & (s - epsilon < hardest_negative), negative & (s + epsilon > hardest_positive)};
}

PlaceLoss multi_similarity(const torch::Tensor& descriptors, const torch::Tensor& labels, const TrainLoss& settings) {
  const torch::Tensor place = labels.to(descriptors.device());
  const torch::Tensor s = torch::matmul(descriptors, descriptors.t());
  const MinedPairs mined = mine_pairs(s, place, settings.miner_epsilon);

  PlaceLoss loss;
  const auto samples = static_cast<double>(descriptors.size(0));
  loss.b_acc = 1.0 - static_cast<double>(mined.positives.any(1).sum().item<std::int64_t>()) / samples;
  const bool next_to_nothing = mined.positives.sum().item<std::int64_t>() <= 1 && mined.negatives.sum().item<std::int64_t>() <= 1;
  if (next_to_nothing) {  // the reference returns 0 for one pair of each kind too
    loss.value = descriptors.sum() * 0.0;
    return loss;
  }
  const torch::Tensor above = s - settings.ms_base;
  const torch::Tensor pull = log_one_plus_sum(-settings.ms_alpha * above, mined.positives) / settings.ms_alpha;
  const torch::Tensor push = log_one_plus_sum(settings.ms_beta * above, mined.negatives) / settings.ms_beta;
  loss.value = (pull + push).mean();
  return loss;
}

torch::Tensor distillation(const torch::Tensor& importance, const torch::Tensor& scores, const TrainLoss& settings) {
  const double t = settings.temperature;
  const torch::Tensor teacher = torch::log_softmax(importance / t, 1);
  const torch::Tensor student = torch::log_softmax(scores / t, 1);
  const torch::Tensor divergence = (teacher.exp() * (teacher - student)).sum(1).mean();
  return divergence * (settings.summed_kl ? t * t : t * t / static_cast<double>(scores.size(1)));
}

torch::Tensor context_loss(const torch::Tensor& tokens, const torch::Tensor& whole_tokens, const torch::Tensor& descriptor,
                           const torch::Tensor& whole_descriptor) {
  constexpr double kLeastVariance = 1e-12;  // of tokens that are all alike
  const torch::Tensor off = (tokens - whole_tokens).square().mean() / whole_tokens.var(false).clamp_min(kLeastVariance);
  return off + 1 - (descriptor * whole_descriptor).sum(1).mean();
}

torch::Tensor stage_loss(const std::vector<torch::Tensor>& decisions, const std::vector<double>& wanted) {
  std::vector<torch::Tensor> off;
  for (std::size_t s = 0; s < decisions.size(); ++s) off.push_back((decisions[s].mean(1) - wanted[s]).square().mean());
  return torch::stack(off).mean();
}

double tier_agreement(const torch::Tensor& tier_of, const torch::Tensor& labels) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor place = labels.to(tier_of.device());
  const torch::Tensor pairs = same_place(place) & not_oneself(place);  // each pair twice, which does not change the mean
  const auto count = pairs.sum().item<std::int64_t>();
  if (count == 0) return 0;
  const torch::Tensor equal = tier_of.unsqueeze(1) == tier_of.unsqueeze(0);  // (B, B, M)
  const torch::Tensor agreeing = equal.to(torch::kFloat32).mean(2).masked_select(pairs);
  return agreeing.to(torch::kFloat64).mean().item<double>();
}

}  // namespace revisit::train

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// DynamicViT: while training, each predictor draws for every patch whether it stays (Gumbel-softmax, hard, with the gradient of
// the soft one), and attention passes over what does not stay. Otherwise the best stay, as in the engine.
#include <algorithm>
#include <cmath>
#include <string>

#include "engine/reduce/dynamicvit.h"
#include "training/train/network.h"
#include "training/train/pruner_twin.h"

namespace revisit::train {
namespace {

torch::Tensor gumbel_like(const torch::Tensor& x) { return -torch::empty_like(x).exponential_().log(); }

/// (B, N, 2) log probabilities -> (B, N): 1 where "keep" was drawn, with the gradient of its probability under the draw.
torch::Tensor drawn(const torch::Tensor& log_probabilities) {
  const torch::Tensor soft = torch::softmax(log_probabilities + gumbel_like(log_probabilities), -1).select(2, 0);
  const torch::Tensor hard = (soft > 0.5).to(soft.scalar_type());
  return hard + soft - soft.detach();
}

class PredictorTwin final : public PrunerTwin {
 public:
  PredictorTwin(const DescriptorSpec& spec, const model::Config& config, const Tensors& tensors, std::int64_t pictures,
                int patches, bool training)
      : stages_(spec, config.predictors, config.backbone.blocks()),
        tensors_(tensors),
        heads_(config.vit().heads),
        prefix_(1 + config.vit().registers),
        patches_(patches),
        training_(training),
        policy_(torch::ones({pictures, patches}, tensors.begin()->second.options().requires_grad(false))) {}

  torch::Tensor after_blocks(int done, const torch::Tensor& tokens) override {
    const auto& at = stages_.blocks();
    const auto found = std::ranges::lower_bound(at, done);
    if (found == at.end() || *found != done) return tokens;
    const int stage = static_cast<int>(found - at.begin());
    const torch::Tensor guesses = predict(tensors_, stage, tokens.slice(1, prefix_), policy_);
    if (!training_) return keep_best(guesses.select(2, 0), done, tokens);
    policy_ = drawn(guesses) * policy_;
    out_.decisions.push_back(policy_);
    out_.wanted.push_back(std::pow(stages_.keep_for(patches_), stage + 1));
    out_.mass = policy_;
    return tokens;
  }

  torch::Tensor attend(int /*block*/, const torch::Tensor& qkv) override {
    if (out_.decisions.empty()) return train::attend(qkv, heads_);
    const torch::Tensor policy = torch::cat({torch::ones({policy_.size(0), prefix_}, policy_.options()), policy_}, 1);
    return train::attend(qkv, heads_, policy, /*sees_itself=*/true);
  }

  torch::Tensor after_attention(int /*block*/, const torch::Tensor& tokens) override { return tokens; }

  Pruned result() const override {
    Pruned out = out_;
    if (!out.kept.defined()) return out;
    out.shares = torch::zeros({out.kept.size(0), out.kept.size(1), patches_}, policy_.options());
    out.shares.scatter_(2, out.kept.unsqueeze(2), 1.0);
    return out;
  }

 private:
  torch::Tensor keep_best(const torch::Tensor& scores, int done, const torch::Tensor& tokens) {
    const std::int64_t count = stages_.left(done, patches_);
    const torch::Tensor order = torch::argsort(scores.detach(), /*stable=*/true, /*dim=*/1, /*descending=*/true);
    const torch::Tensor best = std::get<0>(order.slice(1, 0, count).sort(1));
    out_.kept = out_.kept.defined() ? out_.kept.gather(1, best) : best;
    policy_ = policy_.slice(1, 0, count);
    return keep_patches(tokens, prefix_, best);
  }

  reduce::Stages stages_;
  const Tensors& tensors_;
  int heads_, prefix_, patches_;
  bool training_;
  torch::Tensor policy_;  // (B, N) 1 for what is still there
  Pruned out_;
};

}  // namespace

torch::Tensor predict(const Tensors& tensors, int stage, const torch::Tensor& patches, const torch::Tensor& policy) {
  const std::string name = model::kPredictorRoot + std::to_string(stage) + ".";
  const torch::Tensor normed = torch::layer_norm(patches, {patches.size(-1)}, tensors.at(name + "in_conv.0.weight"),
                                                 tensors.at(name + "in_conv.0.bias"), static_cast<double>(reduce::kPredictorEps));
  const torch::Tensor x = torch::gelu(linear(tensors, name + "in_conv.1", normed));
  const std::int64_t half = x.size(2) / 2;
  const torch::Tensor there = policy.unsqueeze(2);
  const torch::Tensor all =
      (x.slice(2, half) * there).sum(1, true) / there.sum(1, true).clamp_min(1);  // by chance all may be gone
  torch::Tensor y = torch::cat({x.slice(2, 0, half), all.expand({-1, x.size(1), -1})}, 2);
  y = torch::gelu(linear(tensors, name + "out_conv.0", y));
  y = torch::gelu(linear(tensors, name + "out_conv.2", y));
  return torch::log_softmax(linear(tensors, name + "out_conv.4", y), -1);
}

std::unique_ptr<PrunerTwin> make_predictor_twin(const DescriptorSpec& spec, const model::Config& config, const Tensors& tensors,
                                                std::int64_t pictures, int patches, bool training) {
  return std::make_unique<PredictorTwin>(spec, config, tensors, pictures, patches, training);
}

}  // namespace revisit::train

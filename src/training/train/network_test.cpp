// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What is trained and what is not, and what a network refuses.
#include "training/train/network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "revisit/error.h"
#include "revisit/extractor.h"
#include "training/train/losses.h"
#include "training/train/test_networks.h"
#include "training/train/test_tensors.h"

namespace revisit::train {
namespace {

torch::Tensor labels() { return torch::tensor({0, 0, 1, 1, 2, 2}, torch::kInt64); }

NetworkOptions options_with(int trained_blocks, double dropout = 0) {
  NetworkOptions options;
  options.trained_blocks = trained_blocks;
  options.dropout = dropout;
  return options;
}

torch::Tensor total_loss(const Network& network, const torch::Tensor& pixels, double rho = 1) {
  const Forward out = network.forward(network.frozen(pixels, rho), true, rho);
  return multi_similarity(out.descriptor, labels(), {}).value + 0.1 * distillation(out.importance, out.scores, {});
}

torch::Tensor place_loss(const Network& network, const torch::Tensor& pixels, const TrainLoss& settings) {
  return multi_similarity(network.forward(network.frozen(pixels), true).descriptor, labels(), settings).value;
}

bool got_gradient(const Network& network, const std::string& name) {
  const torch::Tensor& gradient = network.tensors().at(name).grad();
  return gradient.defined() && gradient.abs().max().item<double>() > 0;
}

std::string refusal(const std::function<void()>& act, ErrorCode code) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "was not refused";
  return {};
}

TEST(Network, TokensOfKeptPatchesAreTheFirstOnesAndThosePatches) {
  const auto model = model::make_random(testing::small_config(), 1);
  const Network network(*model, options_with(4));  // pruned in the trained part
  const torch::Tensor pixels = testing::pictures(2, {70, 70}, 1);
  const int first = 1 + model->config.vit().registers;
  const Forward out = network.forward(network.frozen(pixels, 0.5), false, 0.5);
  ASSERT_EQ(out.kept.size(1), 13);
  EXPECT_EQ(out.tokens.size(1), first + 13);
  const torch::Tensor whole = network.forward(network.frozen(pixels), false).tokens;
  EXPECT_TRUE(torch::equal(whole, network.tokens(pixels, -1))) << "after the final norm";
  const torch::Tensor kept = keep_patches(whole, first, out.kept);
  ASSERT_EQ(kept.sizes(), out.tokens.sizes());
  EXPECT_TRUE(torch::equal(kept.slice(1, 0, first), whole.slice(1, 0, first)));
  for (std::int64_t i = 0; i < 13; ++i) {
    EXPECT_TRUE(torch::equal(kept[1][first + i], whole[1][first + out.kept[1][i].item<std::int64_t>()])) << i;
  }
}

TEST(Network, OnlyTheLastBlocksTheNormTheHeadAndWeitopLearn) {
  const auto model = model::make_random(testing::small_config(), 1);
  const Network network(*model, options_with(2));
  const FrozenTokens frozen = network.frozen(testing::pictures(6, {70, 70}, 1));
  EXPECT_FALSE(frozen.tokens.requires_grad());
  EXPECT_FALSE(frozen.weitop_input.requires_grad());
  total_loss(network, testing::pictures(6, {70, 70}, 1)).backward();
  for (const auto& [name, tensor] : network.tensors()) {
    const bool learns = !name.starts_with("backbone.") || name.starts_with("backbone.model.norm.") ||
                        name.starts_with("backbone.model.blocks.2.") || name.starts_with("backbone.model.blocks.3.");
    EXPECT_EQ(tensor.requires_grad(), learns) << name;
    EXPECT_TRUE(tensor.is_leaf()) << name;
    EXPECT_EQ(tensor.grad().defined(), learns) << name;
  }
  for (const char* name : {"aggregator.theta0", "aggregator.thetaD", "aggregator.dust_bin", "weitop.0.weight",
                           "backbone.model.norm.weight", "backbone.model.blocks.2.attn.qkv.weight"}) {
    EXPECT_TRUE(got_gradient(network, name)) << name;
  }
}

/// The change of the loss when a tensor moves a little must be what its gradient says, along the gradient (its size) and along a
/// random direction (that nothing is missing from it).
void expect_slope(const Network& network, const torch::Tensor& pixels, const TrainLoss& settings, const std::string& name) {
  const torch::Tensor& tensor = network.tensors().at(name);
  const torch::Tensor gradient = tensor.grad().clone();
  const double size = gradient.norm().item<double>();
  ASSERT_GT(size, 0) << name;
  const torch::NoGradGuard no_grad;
  const auto slope = [&](const torch::Tensor& direction) {
    const auto loss_at = [&](double reach) {
      tensor.data().add_(direction, reach);
      const double loss = place_loss(network, pixels, settings).item<double>();
      tensor.data().add_(direction, -reach);
      return loss;
    };
    return (loss_at(1) - loss_at(-1)) / 2;
  };
  const double step = 2e-3;
  EXPECT_NEAR(slope(gradient * (step / size)), step * size, 0.03 * step * size + 2e-7) << name;
  torch::manual_seed(1);
  const double each = 0.02 / std::sqrt(static_cast<double>(tensor.numel()));
  const torch::Tensor noise = each * torch::randn_like(tensor);
  EXPECT_NEAR(slope(noise), (noise * gradient).sum().item<double>(), 0.1 * each * size + 5e-7) << name;
}

TEST(Network, TheWholeBackboneLearnsAtTheTablesOwnGridAndAtAnother) {
  model::Config config = testing::small_config();
  config.vit().registers = 2;
  config.head.transport().tiers = {12};  // no ranks and no mining, whose choices make the loss jump
  TrainLoss settings;
  settings.miner_epsilon = 10;
  const auto model = model::make_random(config, 2);
  for (const Size size : {Size{70, 70}, Size{56, 84}}) {
    SCOPED_TRACE(size.height);
    const Network network(*model, options_with(4));
    const torch::Tensor pixels = testing::pictures(6, size, 3);
    EXPECT_FALSE(network.frozen(pixels).weitop_input.defined());  // its layer lies in the trained part
    place_loss(network, pixels, settings).backward();
    for (const auto& [name, tensor] : network.tensors()) {
      EXPECT_TRUE(tensor.requires_grad()) << name;
      EXPECT_EQ(tensor.grad().defined(), !name.starts_with("weitop.")) << name;
    }
    for (const char* name : {"backbone.model.pos_embed", "backbone.model.cls_token", "backbone.model.register_tokens",
                             "backbone.model.patch_embed.proj.weight", "backbone.model.blocks.0.attn.qkv.weight"}) {
      expect_slope(network, pixels, settings, name);
    }
  }
}

TEST(Network, TokensDoNotLearnFromWeitopsScoreEvenWhereTheyLearn) {
  const auto model = model::make_random(testing::small_config(), 2);
  const Network network(*model, options_with(4));
  const Forward out = network.forward(network.frozen(testing::pictures(6, {70, 70}, 3)), true);
  distillation(out.importance, out.scores, {}).backward();
  EXPECT_TRUE(got_gradient(network, "weitop.0.weight"));
  EXPECT_FALSE(got_gradient(network, "backbone.model.blocks.0.attn.qkv.weight"));
}

TEST(Network, DistillationReachesTheHeadOnlyWithTeacherGradient) {
  const auto model = model::make_random(testing::small_config(), 2);
  for (const bool teacher : {false, true}) {
    NetworkOptions options = options_with(2);
    options.teacher_gradient = teacher;
    const Network network(*model, options);
    const Forward out = network.forward(network.frozen(testing::pictures(6, {70, 70}, 3)), true);
    EXPECT_EQ(out.importance.requires_grad(), teacher);
    EXPECT_FALSE(out.ghost.requires_grad());
    distillation(out.importance, out.scores, {}).backward();
    EXPECT_TRUE(got_gradient(network, "weitop.2.weight"));
    for (const char* name : {"aggregator.score.0.weight", "aggregator.theta0", "backbone.model.norm.weight"})
      EXPECT_EQ(got_gradient(network, name), teacher) << name;
  }
}

TEST(Network, GradientsFlowThroughAPrunedForward) {
  const auto model = model::make_random(testing::small_config(), 5);
  for (const int layer : {1, 3}) {  // in the frozen and in the trained part
    auto config = *model;
    config.config.own.prune_layer = layer;
    const Network network(config, options_with(2));
    total_loss(network, testing::pictures(6, {70, 70}, 3), 0.4).backward();
    EXPECT_TRUE(got_gradient(network, "backbone.model.blocks.2.mlp.fc1.weight"));
    EXPECT_TRUE(got_gradient(network, "aggregator.theta0"));
  }
}

TEST(Network, DropoutWorksWhileTrainingOnly) {
  const auto model = model::make_random(testing::small_config(), 2);
  const Network network(*model, options_with(2, 0.3));
  const torch::NoGradGuard no_grad;
  const FrozenTokens frozen = network.frozen(testing::pictures(2, {70, 70}, 3));
  const auto run = [&](bool training) { return network.forward(frozen, training).descriptor; };
  const torch::Tensor still = run(false);
  EXPECT_TRUE(torch::equal(still, run(false)));
  torch::manual_seed(7);
  const torch::Tensor one = run(true);
  EXPECT_GT(testing::distance(one, run(true)), 1e-4);
  torch::manual_seed(7);
  EXPECT_TRUE(torch::equal(one, run(true)));
  EXPECT_LT(testing::distance(still.slice(1, 0, 14) / still.slice(1, 0, 14).norm(2, 1, true),
                              one.slice(1, 0, 14) / one.slice(1, 0, 14).norm(2, 1, true)),
            1e-6);  // the CLS part has none
}

TEST(Network, TiedStepsStayEqualAndUntiedOnesDoNot) {
  const auto model = model::make_random(testing::small_config(), 2);
  for (const bool tied : {true, false}) {
    NetworkOptions options = options_with(1);
    options.tie_deltas = tied;
    const Network network(*model, options);
    torch::Tensor deltas = network.tensors().at("aggregator.thetaD");
    ASSERT_EQ(deltas.numel(), 3);
    torch::optim::AdamW optimiser(std::vector<torch::Tensor>{deltas}, torch::optim::AdamWOptions(0.01));
    for (int step = 0; step < 4; ++step) {
      optimiser.zero_grad();
      total_loss(network, testing::pictures(6, {70, 70}, 10 + static_cast<std::uint64_t>(step))).backward();
      optimiser.step();
    }
    const auto after = testing::values_of(deltas);
    EXPECT_NE(after[0], -2.2521684F);
    EXPECT_EQ(after[0] == after[1] && after[1] == after[2], tied);
    EXPECT_EQ(network.to_model().weights.at("aggregator.thetaD").count(), 3);
  }
}

TEST(Network, ABatchCanBeLearntByHeartAndTheEngineRunsWhatWasLearnt) {
  auto start = *model::make_random(testing::small_config(), 6);
  start.config.calibration = model::Calibration{};
  const Network network(start, options_with(4));
  EXPECT_EQ(network.to_model().config.fingerprint, start.config.fingerprint);
  std::vector<torch::Tensor> learning;
  for (const auto& [name, tensor] : network.tensors()) learning.push_back(tensor);
  torch::optim::AdamW optimiser(learning, torch::optim::AdamWOptions(2e-3));
  const torch::Tensor pixels = testing::pictures(6, {70, 70}, 3);
  const double before = total_loss(network, pixels).item<double>();
  for (int step = 0; step < 25; ++step) {
    optimiser.zero_grad();
    total_loss(network, pixels).backward();
    optimiser.step();
  }
  EXPECT_LT(total_loss(network, pixels).item<double>(), 0.5 * before);

  const auto learnt = std::make_shared<const model::LoadedModel>(network.to_model());
  EXPECT_NE(learnt->config.fingerprint, start.config.fingerprint);
  EXPECT_FALSE(learnt->config.calibration);
  EXPECT_TRUE(learnt->config.nonfinite.empty());
  const torch::NoGradGuard no_grad;
  for (const double rho : {1.0, 0.7, 0.5, 0.3}) {
    Extractor engine(Model(learnt), {.rho = rho}, 1);
    const torch::Tensor twin = network.forward(network.frozen(pixels, rho), false, rho).descriptor;
    for (int image = 0; image < 6; ++image) {
      const auto descriptor = engine.describe_tensor(testing::values_of(pixels[image]), {70, 70});
      EXPECT_GT((twin[image] * torch::tensor(descriptor)).sum().item<double>(), 0.99999) << "rho " << rho;
    }
  }
}

TEST(Network, AModelThatDivergedSaysWhichTensorIsNotFinite) {
  const auto model = model::make_random(testing::small_config(), 6);
  const Network network(*model, options_with(1));
  network.tensors().at("aggregator.theta0").data().fill_(NAN);
  EXPECT_EQ(network.to_model().config.nonfinite, "aggregator.theta0");
}

TEST(Network, RefusesWhatDoesNotFit) {
  const auto good = model::make_random(testing::small_config(), 6);
  const torch::Tensor pixels = testing::pictures(1, {70, 70}, 1);
  EXPECT_EQ(refusal([&] { Network(*good, options_with(5)); }, ErrorCode::kUsage),
            "trained_blocks must be between 0 and the model's 4 blocks, not 5");
  EXPECT_EQ(refusal([&] { Network(*good, options_with(4, 1)); }, ErrorCode::kUsage),
            "dropout must be at least 0 and below 1, not 1");
  const Network network(*good, options_with(2));
  EXPECT_EQ(refusal(
                [&] {
                  network.frozen(testing::pictures(1, {70, 80}, 1));
                },
                ErrorCode::kUsage),
            "pictures of 70x80 do not fit: each side must be a multiple of the network's patch of 14");
  EXPECT_EQ(refusal([&] { network.frozen(pixels, 1.5); }, ErrorCode::kUsage), "rho must be above 0 and at most 1, not 1.5");
  EXPECT_EQ(refusal([&] { network.forward(network.frozen(pixels), false, 0.5); }, ErrorCode::kInternal),
            "the frozen part kept 25 patches, but rho = 0.5 leaves 13: both parts must be given one rho");
  EXPECT_EQ(refusal([&] { network.tokens(pixels, 4); }, ErrorCode::kUsage),
            "block 4 does not exist: the model has blocks 0 to 3; -1 stands for the end");

  model::LoadedModel other;
  other.config = good->config;
  other.weights.add_f32("aggregator.thetaD", {3}, {-1, -2, -3});
  for (const auto& [name, tensor] : good->weights.all()) {
    if (name != "aggregator.thetaD") other.weights.add(name, tensor, good);
  }
  EXPECT_EQ(refusal([&] { Network(other, options_with(2)); }, ErrorCode::kUsage),
            "the model's steps between tiers differ (thetaD from -3 to -1), so they cannot learn as one");
  other = *good;
  other.config.nonfinite = "weitop.0.bias";
  EXPECT_EQ(refusal([&] { Network(other, options_with(2)); }, ErrorCode::kBadModel),
            "the model 'random weights, seed 6' holds NaN or infinity in tensor 'weitop.0.bias', so it cannot be trained");
  other = *good;
  other.config.own = {};
  EXPECT_EQ(refusal([&] { Network(other, options_with(2)).frozen(pixels, 0.5); }, ErrorCode::kUsage),
            "rho = 0.5 needs WeiToP, but the model has none");
  other.config.head = {};
  const Network backbone(other, options_with(2));
  EXPECT_EQ(refusal([&] { backbone.forward(backbone.frozen(pixels), false); }, ErrorCode::kUsage),
            "only WeiAD and SALAD heads can be trained, and the model's aggregator is 'none'");
  EXPECT_EQ(backbone.tokens(pixels, 2).sizes(), (std::vector<std::int64_t>{1, 26, 48}));

  other = *good;
  other.config.head.transport().ghost = false;
  const Network one_sided(other, options_with(2));
  EXPECT_EQ(refusal([&] { one_sided.forward(one_sided.frozen(pixels, 0.4), false, 0.4); }, ErrorCode::kUsage),
            "SALAD's assignment of tokens to 12 clusters needs more than 12 patch tokens, but there are 10");
}

}  // namespace
}  // namespace revisit::train

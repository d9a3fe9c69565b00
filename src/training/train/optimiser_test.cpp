// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/train/optimiser.h"

#include <gtest/gtest.h>

#include <cmath>

#include "training/train/schedule.h"
#include "training/train/test_tensors.h"

namespace revisit::train {
namespace {

using Tensors = std::map<std::string, torch::Tensor>;

TrainOptimiser steady() {
  TrainOptimiser settings;
  settings.lr = 3e-3;
  settings.weight_decay = 0.05;
  settings.end_factor = 1;
  return settings;
}

Tensors parameters() {
  torch::manual_seed(5);
  Tensors out;
  for (const auto* name : {"backbone.model.norm.weight", "aggregator.score.0.weight", "weitop.0.weight", "aggregator.theta0"})
    out[name] = torch::randn({4, 7}).set_requires_grad(true);
  return out;
}

/// Something to minimise whose gradient differs from step to step and from one parameter to the next.
torch::Tensor loss_of(const Tensors& tensors, int step) {
  torch::Tensor sum = torch::zeros({});
  double scale = 1;
  for (const auto& [name, tensor] : tensors) {
    sum = sum + scale * (tensor * tensor.cos() + (0.1 * step) * tensor.sin()).sum();
    scale *= 0.03;
  }
  return sum;
}

TEST(Optimiser, TakesTheSameStepsAsTorchsAdamW) {
  Tensors ours = parameters();
  Tensors theirs;
  for (const auto& [name, tensor] : ours) theirs[name] = tensor.detach().clone().set_requires_grad(true);
  const TrainOptimiser settings = steady();
  Optimiser optimiser(settings, ours);

  std::vector<torch::optim::OptimizerParamGroup> groups;
  for (const auto& [name, tensor] : theirs) {
    const ParameterRule rule = rule_of(name, settings);
    torch::optim::OptimizerParamGroup group({tensor});
    group.set_options(std::make_unique<torch::optim::AdamWOptions>(
        torch::optim::AdamWOptions(rule.lr).weight_decay(rule.weight_decay).eps(rule.eps)));
    groups.push_back(group);
  }
  torch::optim::AdamW reference(groups, torch::optim::AdamWOptions(1e-3));

  for (int step = 0; step < 20; ++step) {
    optimiser.forget_gradients();
    loss_of(ours, step).backward();
    optimiser.step(step);
    reference.zero_grad();
    loss_of(theirs, step).backward();
    reference.step();
    for (const auto& [name, tensor] : ours) {
      EXPECT_LE(testing::distance(tensor, theirs[name]), 2e-7) << name << " after step " << step;
    }
  }
  for (const auto& [name, tensor] : parameters())
    EXPECT_GT(testing::distance(tensor, ours[name]), 1e-2) << name << " has not moved";
}

TEST(Optimiser, GivesEachKindOfParameterItsOwnRule) {
  TrainOptimiser settings;
  settings.lr = 6e-5;
  settings.weight_decay = 0.01;
  EXPECT_EQ(rule_of("aggregator.thetaD", settings).lr, 6e-5) << "one rate for all, as in the paper";
  settings.tier_lr_factor = 100;
  EXPECT_EQ(rule_of("backbone.model.blocks.3.attn.qkv.weight", settings).lr, 6e-5);
  EXPECT_EQ(rule_of("aggregator.score.0.weight", settings).lr, 6e-5);  // as the backbone unless set
  EXPECT_DOUBLE_EQ(rule_of("aggregator.thetaD", settings).lr, 6e-3);
  EXPECT_EQ(rule_of("aggregator.thetaD", settings).weight_decay, 0);
  EXPECT_EQ(rule_of("weitop.2.bias", settings).lr, 6e-5);
  EXPECT_EQ(rule_of("weitop.2.bias", settings).eps, 1e-15);
  EXPECT_EQ(rule_of("backbone.model.norm.bias", settings).eps, 1e-8);
  settings.head_lr = 1e-3;
  settings.weitop_lr = 2e-3;
  EXPECT_EQ(rule_of("backbone.model.norm.bias", settings).lr, 6e-5);
  EXPECT_EQ(rule_of("aggregator.dust_bin", settings).lr, 1e-3);
  EXPECT_DOUBLE_EQ(rule_of("aggregator.theta0", settings).lr, 0.1);
  EXPECT_EQ(rule_of("weitop.0.weight", settings).lr, 2e-3);
  EXPECT_EQ(rule_of("score_predictor.0.in_conv.1.weight", settings).lr, 1e-3);
  settings.predictor_lr = 3e-3;
  EXPECT_EQ(rule_of("score_predictor.0.in_conv.1.weight", settings).lr, 3e-3);
}

TEST(Optimiser, WeitopLearnsFromGradientsThatUsualEpsWouldSwallow) {
  TrainOptimiser settings = steady();
  settings.weight_decay = 0;
  Tensors tensors{{"weitop.0.weight", torch::zeros({3}).set_requires_grad(true)},
                  {"aggregator.score.0.weight", torch::zeros({3}).set_requires_grad(true)}};
  Optimiser optimiser(settings, tensors);
  for (auto& [name, tensor] : tensors) tensor.mutable_grad() = torch::full({3}, 1e-11);
  optimiser.step(0);
  EXPECT_NEAR(tensors["weitop.0.weight"][0].item<double>(), -settings.lr, 1e-6);
  EXPECT_GT(tensors["aggregator.score.0.weight"][0].item<double>(), -0.01 * settings.lr);
}

TEST(Optimiser, OrthogonalStepsMoveAllDirectionsOfABlocksMatrixAlike) {
  TrainOptimiser settings = steady();
  settings.weight_decay = 0;
  settings.orthogonal = true;
  const std::string block = "backbone.model.blocks.0.";
  Tensors tensors{{block + "attn.qkv.weight", torch::zeros({24, 8}).set_requires_grad(true)},
                  {block + "mlp.fc1.weight", torch::zeros({32, 8}).set_requires_grad(true)},
                  {block + "mlp.fc2.weight", torch::zeros({8, 32}).set_requires_grad(true)},
                  {block + "norm1.weight", torch::zeros({8}).set_requires_grad(true)},
                  {"aggregator.score.0.weight", torch::zeros({6, 8}).set_requires_grad(true)}};
  Optimiser optimiser(settings, tensors);
  torch::manual_seed(2);
  for (auto& [name, tensor] : tensors) {
    tensor.mutable_grad() = torch::randn_like(tensor);
    if (tensor.size(0) == 24) tensor.mutable_grad() = torch::eye(8).repeat({3, 1}) + 0.1 * tensor.grad();
    if (tensor.dim() == 2) tensor.mutable_grad().slice(1, 0, 1).mul_(10);  // one direction is far steeper
  }
  optimiser.step(0);
  const auto moved = [&](const std::string& name) { return (tensors[name] / -settings.lr).detach(); };
  const auto expect_alike = [](const torch::Tensor& step, double longest, const std::string& what) {
    const auto sizes = std::get<1>(torch::linalg_svd(step, false)) / std::sqrt(longest);
    EXPECT_GT(sizes.min().item<double>(), 0.5) << what;
    EXPECT_LT(sizes.max().item<double>(), 1.3) << what;
  };
  for (int part = 0; part < 3; ++part)
    expect_alike(moved(block + "attn.qkv.weight").slice(0, 8 * part, 8 * part + 8), 8, "queries, keys or values");
  expect_alike(moved(block + "mlp.fc1.weight"), 32, "fc1");
  expect_alike(moved(block + "mlp.fc2.weight"), 32, "fc2");
  for (const auto& name : {block + "norm1.weight", std::string("aggregator.score.0.weight")})
    EXPECT_NEAR(moved(name).abs().max().item<double>(), 1, 1e-4) << name << " is moved as AdamW does";
}

TEST(Optimiser, LeavesParametersWithoutAGradientAlone) {
  Tensors tensors = parameters();
  Optimiser optimiser(steady(), tensors);
  const auto before = tensors["weitop.0.weight"].detach().clone();
  tensors["aggregator.theta0"].mutable_grad() = torch::ones({4, 7});
  optimiser.step(0);
  EXPECT_EQ(testing::distance(tensors["weitop.0.weight"], before), 0);
  const auto state = optimiser.state();
  EXPECT_EQ(*reinterpret_cast<const std::int64_t*>(state.at("t/weitop.0.weight").data), 0);
  EXPECT_EQ(*reinterpret_cast<const std::int64_t*>(state.at("t/aggregator.theta0").data), 1);
}

TEST(Optimiser, FrozenTensorsAreNoneOfItsBusiness) {
  Tensors tensors = parameters();
  tensors["backbone.model.cls_token"] = torch::randn({3});
  const Optimiser optimiser(steady(), tensors);
  EXPECT_FALSE(optimiser.state().contains("m/backbone.model.cls_token"));
  EXPECT_EQ(optimiser.state().all().size(), 3 * (tensors.size() - 1));
}

TEST(Optimiser, GoesOnFromASavedStateToTheBit) {
  TrainOptimiser settings = steady();
  settings.orthogonal = true;
  Tensors straight = parameters();
  straight["backbone.model.blocks.0.mlp.fc1.weight"] = torch::randn({8, 4}).set_requires_grad(true);
  Optimiser one(settings, straight);
  Tensors taken_up;
  model::Weights saved;
  const auto move = [](Optimiser& optimiser, Tensors& tensors, int step) {
    optimiser.forget_gradients();
    loss_of(tensors, step).backward();
    optimiser.step(step);
  };
  for (int step = 0; step < 10; ++step) {
    if (step == 5) {
      for (const auto& [name, tensor] : straight) taken_up[name] = tensor.detach().clone().set_requires_grad(true);
      saved = one.state();
    }
    move(one, straight, step);
  }
  Optimiser other(settings, taken_up);
  other.restore(saved);
  for (int step = 5; step < 10; ++step) move(other, taken_up, step);
  for (const auto& [name, tensor] : straight) EXPECT_TRUE(torch::equal(tensor, taken_up[name])) << name;
}

TEST(Optimiser, RefusesAStateOfAnotherModel) {
  Tensors small{{"weitop.0.weight", torch::zeros({3}).set_requires_grad(true)}};
  Tensors large{{"weitop.0.weight", torch::zeros({4}).set_requires_grad(true)}};
  Optimiser optimiser(steady(), large);
  EXPECT_THROW(optimiser.restore(Optimiser(steady(), small).state()), Error);
  EXPECT_THROW(optimiser.restore({}), Error);
}

TEST(Optimiser, MeasuresAndScalesAllGradientsTogether) {
  Tensors tensors{{"a", torch::zeros({2}).set_requires_grad(true)}, {"b", torch::zeros({1}).set_requires_grad(true)}};
  Optimiser optimiser(steady(), tensors);
  EXPECT_EQ(optimiser.gradient_norm(), 0);
  tensors["a"].mutable_grad() = torch::tensor({2.0F, 3.0F});
  tensors["b"].mutable_grad() = torch::tensor({6.0F});
  EXPECT_NEAR(optimiser.gradient_norm(), 7, 1e-6);
  optimiser.scale_gradients(0.5);
  EXPECT_NEAR(optimiser.gradient_norm(), 3.5, 1e-6);
  tensors["b"].mutable_grad() = torch::tensor({NAN});
  EXPECT_FALSE(std::isfinite(optimiser.gradient_norm()));
}

}  // namespace
}  // namespace revisit::train

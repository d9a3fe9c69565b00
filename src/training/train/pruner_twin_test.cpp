// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The twin of each pruner gives the engine's descriptors, its gradients are those of the loss, and DynamicViT's parts are those
// of the recorded code.
#include "training/train/pruner_twin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "engine/model/containers.h"
#include "revisit/error.h"
#include "revisit/extractor.h"
#include "training/train/head_twin.h"
#include "training/train/losses.h"
#include "training/train/network.h"
#include "training/train/test_networks.h"
#include "training/train/test_tensors.h"

namespace revisit::train {
namespace {

DescriptorSpec pruner(const std::string& name, double rho, const std::string& options = "") {
  DescriptorSpec spec;
  spec.prune = name;
  if (rho < 1) spec.rho = rho;
  if (!options.empty()) spec.prune_options = options;
  return spec;
}

/// The small model without WeiToP.
model::Config config_for(const std::string& name) {
  model::Config config = testing::small_config();
  config.own = {};
  config.weitop_hidden = 0;
  if (name == "dynamicvit") {
    config.own.prune = name;
    config.predictors = 3;
  }
  return config;
}

NetworkOptions options_for(const DescriptorSpec& spec, int trained_blocks = 2) {
  NetworkOptions options;
  options.trained_blocks = trained_blocks;
  options.dropout = 0;
  options.prune = completed(spec);
  return options;
}

double cosine_of(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0) /
         std::sqrt(std::inner_product(a.begin(), a.end(), a.begin(), 0.0) *
                   std::inner_product(b.begin(), b.end(), b.begin(), 0.0));
}

struct Method {
  const char* title;
  DescriptorSpec spec;
  int registers = 0;
};

const Method kMethods[] = {
    {"tome", pruner("tome", 0.5)},
    {"tome_registers", pruner("tome", 0.4), 3},
    {"tome_without_proportions", pruner("tome", 0.6, "prop_attn=false")},
    {"tome_by_r_and_mass", pruner("tome", 1, "r=6|0|4|2,by_mass=true")},
    {"tofu", pruner("tofu", 0.5)},
    {"tofu_merging_only", pruner("tofu", 0.35, "until=0,by_mass=true")},
    {"evit", pruner("evit", 0.5)},
    {"evit_fused_by_mass", pruner("evit", 0.6, "at=0|2,by_mass=true")},
    {"evit_dropping", pruner("evit", 0.5, "fuse=false")},
    {"fastv", pruner("fastv", 0.5)},
    {"dynamicvit", pruner("dynamicvit", 0.5)},
    {"dynamicvit_keep", pruner("dynamicvit", 1, "keep=0.7,at=0|1|3")},
};

class PrunerTwinOf : public ::testing::TestWithParam<Method> {};

TEST_P(PrunerTwinOf, GivesTheEnginesDescriptorsAndKeepsItsPatches) {
  const Method& method = GetParam();
  model::Config config = config_for(*method.spec.prune);
  config.vit().registers = method.registers;
  const torch::NoGradGuard no_grad;
  int alike = 0, all = 0;
  for (const std::uint64_t seed : {11, 12, 13}) {
    const auto model = model::make_random(config, seed);
    const Network network(*model, options_for(method.spec));
    for (const Size size : {Size{112, 112}, Size{84, 140}}) {
      const torch::Tensor pixels = testing::pictures(2, size, seed);
      const Forward out = network.forward(network.frozen(pixels), false);
      Extractor engine(Model(model), method.spec, 1);
      for (int image = 0; image < 2; ++image) {
        SCOPED_TRACE(fmt::format("seed {} {}x{} picture {}", seed, size.height, size.width, image));
        Trace trace;
        const auto want = engine.describe_tensor(testing::values_of(pixels[image]), size, &trace);
        const double cosine = cosine_of(testing::values_of(out.descriptor[image]), want);
        ASSERT_EQ(out.kept.size(1), static_cast<std::int64_t>(trace.kept.size()));
        // Rounding differs, so that a close choice among hundreds may fall the other way: then the patches differ too.
        ++all;
        if (!torch::equal(out.kept[image], torch::tensor(trace.kept, torch::kInt64))) continue;
        if (cosine >= 0.99999) ++alike;
        EXPECT_GE(cosine, 0.99) << "one cluster in another tier at most";
        EXPECT_TRUE(torch::allclose(out.pruned.shares[image].sum(1), torch::ones({out.kept.size(1)}), 1e-5, 1e-5));
      }
    }
  }
  EXPECT_GE(alike, all - 2) << "of " << all;
}

INSTANTIATE_TEST_SUITE_P(Methods, PrunerTwinOf, ::testing::ValuesIn(kMethods),
                         [](const auto& one) { return std::string(one.param.title); });

torch::Tensor labels_of_six() { return torch::tensor({0, 0, 1, 1, 2, 2}, torch::kInt64); }

/// No mining and no tiers, whose choices would make the loss jump.
torch::Tensor smooth_loss(const Network& network, const torch::Tensor& pixels) {
  TrainLoss settings;
  settings.miner_epsilon = 10;
  return multi_similarity(network.forward(network.frozen(pixels), false).descriptor, labels_of_six(), settings).value;
}

TEST(PrunerTwin, GradientsGoThroughMerging) {
  for (const char* name : {"tome", "tofu", "evit"}) {
    SCOPED_TRACE(name);
    model::Config config = config_for(name);
    config.head.transport().tiers = {12};
    const auto model = model::make_random(config, 2);
    const Network network(*model, options_for(pruner(name, 0.6), 4));
    const torch::Tensor pixels = testing::pictures(6, {70, 70}, 3);
    smooth_loss(network, pixels).backward();
    for (const char* of : {"backbone.model.blocks.0.attn.proj.weight", "backbone.model.blocks.1.mlp.fc2.weight",
                           "backbone.model.patch_embed.proj.weight"}) {
      const torch::Tensor& tensor = network.tensors().at(of);
      ASSERT_TRUE(tensor.grad().defined()) << of;
      const torch::Tensor gradient = tensor.grad().clone();
      const double size = gradient.norm().item<double>(), step = 5e-4;
      ASSERT_GT(size, 0) << of;
      const torch::NoGradGuard no_grad;
      const auto loss_at = [&](double reach) {
        tensor.data().add_(gradient, reach * step / size);
        const double loss = smooth_loss(network, pixels).item<double>();
        tensor.data().add_(gradient, -reach * step / size);
        return loss;
      };
      // Between choices: a jump would show as a slope that has nothing to do with the gradient.
      EXPECT_NEAR((loss_at(1) - loss_at(-1)) / 2, step * size, 0.05 * step * size + 5e-7) << of;
    }
  }
}

TEST(PrunerTwin, PredictorsLearnThroughFrozenBlocksFromPlacesAndFromTheShareWanted) {
  const auto model = model::make_random(config_for("dynamicvit"), 5);
  const Network network(*model, options_for(pruner("dynamicvit", 0.5), 1));
  const torch::Tensor pixels = testing::pictures(6, {70, 70}, 3);
  torch::manual_seed(1);
  const Forward out = network.forward(network.frozen(pixels), true);
  ASSERT_EQ(out.pruned.decisions.size(), 3U);
  EXPECT_NEAR(out.pruned.wanted[2], 0.5, 0.04);
  EXPECT_NEAR(out.pruned.wanted[1], out.pruned.wanted[0] * out.pruned.wanted[0], 1e-9);
  torch::Tensor before = torch::ones_like(out.pruned.decisions[0]);
  for (const auto& decision : out.pruned.decisions) {
    EXPECT_TRUE(((decision == 0) | ((decision - 1).abs() < 1e-6)).all().item<bool>());
    EXPECT_TRUE((decision <= before + 1e-6).all().item<bool>()) << "what is gone stays away";
    before = decision;
  }
  EXPECT_FALSE(out.kept.defined()) << "masked, not dropped";
  multi_similarity(out.descriptor, labels_of_six(), {}).value.backward();
  for (int stage = 0; stage < 3; ++stage) {
    const std::string name = fmt::format("score_predictor.{}.in_conv.1.weight", stage);
    EXPECT_GT(network.tensors().at(name).grad().abs().max().item<double>(), 0) << name;
  }
  EXPECT_FALSE(network.tensors().at("backbone.model.blocks.1.attn.qkv.weight").grad().defined()) << "frozen";

  torch::manual_seed(1);
  const Forward again = network.forward(network.frozen(pixels), true);
  EXPECT_TRUE(torch::equal(again.pruned.decisions[2], out.pruned.decisions[2])) << "draws depend on the seed alone";
  const auto off = stage_loss(again.pruned.decisions, {0, 0, 0});
  EXPECT_NEAR(off.item<double>(),
              (again.pruned.decisions[0].mean(1).square().mean() + again.pruned.decisions[1].mean(1).square().mean() +
               again.pruned.decisions[2].mean(1).square().mean())
                      .item<double>() /
                  3,
              1e-6);
}

TEST(PrunerTwin, WhatIsMaskedHasNoPartInTheDescriptor) {
  // The same patches once dropped and once masked: DynamicViT's two ways, for a head that sees both.
  const auto model = model::make_random(config_for("tome"), 5);
  const Network network(*model, {.dropout = 0});
  const torch::NoGradGuard no_grad;
  const torch::Tensor tokens = network.tokens(testing::pictures(2, {70, 70}, 3), -1);
  const torch::Tensor patches = tokens.slice(1, 1);
  torch::Tensor mass = torch::zeros({2, 25});
  mass.slice(1, 0, 25, 2).fill_(1);
  const auto masked = run_head(model->config.head, network.tensors(), tokens.select(1, 0), patches, 0, mass);
  const auto dropped = run_head(model->config.head, network.tensors(), tokens.select(1, 0), patches.slice(1, 0, 25, 2), 0);
  EXPECT_LT(testing::distance(masked.descriptor, dropped.descriptor), 1e-5);
  EXPECT_TRUE(torch::equal(masked.tier_of, dropped.tier_of));
}

TEST(PrunerTwin, RefusesWhatTheEngineRefuses) {
  const auto sentence = [&](const DescriptorSpec& spec, const char* name = "tome") {
    try {
      const auto other = model::make_random(config_for(name), 5);
      const Network network(*other, options_for(spec));
      network.forward(network.frozen(testing::pictures(1, {70, 70}, 3)), false);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(sentence(pruner("tome", 1, "r=20")), "tome cannot merge r = 20 of 25 patches in a block: at most 12");
  EXPECT_EQ(sentence(pruner("dynamicvit", 0.5, "at=1|2"), "dynamicvit"),
            "`prune` dynamicvit decides before 2 blocks here, but the model has 3 predictors");
  EXPECT_NE(sentence(pruner("tome", 0.5, "q=3")), "accepted");
}

TEST(DynamicVitGolden, PredictorAndMaskedSoftmaxAgree) {
  REVISIT_REQUIRE_SHARED("golden/dynamicvit_predictor");
  const revisit::testing::GoldenCase golden("dynamicvit_predictor");
  const model::Weights weights = model::read_checkpoint(golden.checkpoint()).weights;
  Tensors tensors;
  for (const auto& [name, view] : weights.all()) tensors[name] = testing::tensor_of(weights, name);
  const torch::Tensor policy = testing::floats(golden, "policy").squeeze(2);
  golden.expect_close("pred", testing::values_of(predict(tensors, 0, testing::floats(golden, "x"), policy)));
  golden.expect_close("attn_policy_softmax",
                      testing::values_of(weighted_softmax(testing::floats(golden, "attn_logits"), policy, true)));
}

}  // namespace
}  // namespace revisit::train

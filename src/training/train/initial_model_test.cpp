// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/train/initial_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "engine/model/containers.h"
#include "engine/model/model_file.h"
#include "engine/model/test_models.h"
#include "revisit/error.h"

namespace revisit::train {
namespace {

TrainModel small_settings() {
  TrainModel settings;
  settings.width = 64;
  settings.depth = 3;
  settings.heads = 2;
  settings.clusters = 8;
  settings.cluster_dim = 16;
  settings.token_dim = 24;
  settings.hidden = 32;
  settings.tiers = {4, 2, 1, 1};
  settings.trained_blocks = 2;
  settings.weitop_hidden = 20;
  return settings;
}

std::vector<float> values(const model::LoadedModel& model, const std::string& name) {
  return model::to_f32(model.weights.at(name));
}

double deviation(const std::vector<float>& x) {
  double mean = 0, square = 0;
  for (const float v : x) mean += v, square += static_cast<double>(v) * v;
  mean /= static_cast<double>(x.size());
  return std::sqrt(square / static_cast<double>(x.size()) - mean * mean);
}

std::pair<float, float> range(const std::vector<float>& x) {
  const auto [low, high] = std::ranges::minmax(x);
  return {low, high};
}

std::string refusal(const std::function<void(TrainModel&)>& change, Size size = {70, 70}, ErrorCode code = ErrorCode::kUsage) {
  TrainModel settings = small_settings();
  change(settings);
  try {
    initial_model(settings, size, 1);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "was not refused";
  return {};
}

TEST(Beginning, FollowsItsOwnSeedWhereThereIsOne) {
  TrainConfig config;
  config.model = small_settings();
  config.seed = 5;
  EXPECT_EQ(beginning_of(config).seed, 5U);
  config.model.start_seed = 7;
  EXPECT_EQ(beginning_of(config).seed, 7U);
}

TEST(InitialModel, RandomBackboneHasTheAskedShapeAndStartsAsTorchDoes) {
  const auto model = initial_model(small_settings(), {70, 98}, 3);
  const model::VitConfig& vit = model.config.vit();
  EXPECT_EQ(vit.width, 64);
  EXPECT_EQ(vit.depth, 3);
  EXPECT_EQ(vit.heads, 2);
  EXPECT_EQ(vit.patch, 14);
  EXPECT_EQ(vit.ffn_hidden, 256);
  EXPECT_EQ(vit.pos_rows, 5);  // the table is made for the training pictures
  EXPECT_EQ(vit.pos_cols, 7);
  EXPECT_EQ(model.config.input.size, (Size{70, 98}));
  for (const auto& [name, shape] : model::required_tensors(model.config)) EXPECT_EQ(model.weights.at(name).shape, shape) << name;
  EXPECT_EQ(model.config.fingerprint, model::fingerprint_of(model.weights));

  const auto weight = values(model, "backbone.model.blocks.1.mlp.fc1.weight");
  EXPECT_NEAR(deviation(weight), 0.02 * 0.8796, 0.001);  // 0.8796: a normal without what lies beyond two deviations
  EXPECT_LE(range(weight).second, 0.04F);
  EXPECT_GE(range(weight).first, -0.04F);
  EXPECT_EQ(range(values(model, "backbone.model.blocks.1.mlp.fc1.bias")), (std::pair{0.0F, 0.0F}));
  EXPECT_EQ(range(values(model, "backbone.model.norm.weight")), (std::pair{1.0F, 1.0F}));
  EXPECT_EQ(range(values(model, "backbone.model.norm.bias")), (std::pair{0.0F, 0.0F}));
  EXPECT_EQ(range(values(model, "backbone.model.blocks.2.ls2.gamma")), (std::pair{1.0F, 1.0F}));
  EXPECT_GT(deviation(values(model, "backbone.model.pos_embed")), 0.01);

  // U(-1/sqrt(inputs), 1/sqrt(inputs)) for weight and bias.
  for (const auto& [layer, inputs] : {std::pair{"aggregator.score.0", 64.0}, std::pair{"aggregator.cluster_features.3", 32.0},
                                      std::pair{"aggregator.token_features.2", 32.0}, std::pair{"weitop.0", 64.0}}) {
    const double reach = 1 / std::sqrt(inputs);
    for (const char* part : {".weight", ".bias"}) {
      const auto x = values(model, std::string(layer) + part);
      EXPECT_LE(range(x).second, reach) << layer << part;
      EXPECT_GE(range(x).first, -reach) << layer << part;
      EXPECT_NEAR(deviation(x), reach / std::sqrt(3.0), reach * (x.size() < 100 ? 0.25 : 0.05)) << layer << part;
    }
  }
  EXPECT_EQ(values(model, "aggregator.dust_bin"), std::vector<float>{1.0F});
  EXPECT_EQ(values(model, "aggregator.theta0"), std::vector<float>{0.0F});
  const auto steps = values(model, "aggregator.thetaD");
  ASSERT_EQ(steps.size(), 3U);
  for (const float step : steps) EXPECT_NEAR(std::log1p(std::exp(step)), 0.1, 1e-7);
}

TEST(InitialModel, SeedDecidesEveryRandomValueAndNothingElseDoes) {
  const auto one = initial_model(small_settings(), {70, 70}, 3);
  EXPECT_EQ(one.config.fingerprint, initial_model(small_settings(), {70, 70}, 3).config.fingerprint);
  EXPECT_NE(one.config.fingerprint, initial_model(small_settings(), {70, 70}, 4).config.fingerprint);
  TrainModel other = small_settings();
  other.clusters = 9;
  other.tiers = {9};
  const auto fewer = initial_model(other, {70, 70}, 3);
  EXPECT_EQ(values(one, "aggregator.token_features.0.weight"), values(fewer, "aggregator.token_features.0.weight"));
  EXPECT_NE(values(one, "backbone.model.blocks.0.attn.proj.weight"), values(one, "backbone.model.blocks.1.attn.proj.weight"));
  EXPECT_FALSE(fewer.weights.contains("aggregator.thetaD"));  // a single tier has no steps
}

TEST(InitialModel, AStepOfZeroMakesTiersEqual) {
  TrainModel settings = small_settings();
  settings.tier_delta = 0;
  for (const float step : values(initial_model(settings, {70, 70}, 1), "aggregator.thetaD"))
    EXPECT_EQ(static_cast<float>(1 - std::log1p(std::exp(static_cast<double>(step)))), 1.0F);
}

TEST(InitialModel, SaladAndModelsWithoutWeitopHaveNoTensorsOfThem) {
  TrainModel settings = small_settings();
  settings.aggregator = "salad";
  settings.weitop = false;
  const auto model = initial_model(settings, {70, 70}, 1);
  EXPECT_EQ(model.config.head.kind, model::kSalad);
  EXPECT_FALSE(model.config.own.prune);
  EXPECT_FALSE(model.weights.contains("aggregator.theta0"));
  EXPECT_FALSE(model.weights.contains("weitop.0.weight"));
}

TEST(InitialModel, TakesOnlyTheBackboneOfAModelFile) {
  const model::testing::TempFolder folder;
  model::LoadedModel stored = *model::make_random(model::testing::tiny_config(), 9);
  stored.config.calibration = model::Calibration{0.5, 0.9, 1, {42, 42}, "f32"};
  stored.config.licence = "CC0-1.0";
  model::save_model_file(folder / "m.safetensors", stored);
  TrainModel settings = small_settings();
  settings.width = settings.depth = settings.heads = 0;
  settings.backbone = folder / "m.safetensors";
  const auto model = initial_model(settings, {56, 84}, 3);
  EXPECT_EQ(model.config.vit().width, 16);
  EXPECT_EQ(model.config.vit().pos_rows, 3);  // a table that was learnt stays
  EXPECT_EQ(model.config.input.size, (Size{56, 84}));
  EXPECT_EQ(model.config.head.transport().cluster_dim, 16);
  EXPECT_EQ(model.config.weitop_hidden, 20);
  EXPECT_FALSE(model.config.calibration);
  EXPECT_EQ(model.config.licence, "CC0-1.0");
  EXPECT_EQ(model.config.provenance, "trained from random weights, seed 9");
  for (const auto& [name, tensor] : stored.weights.all()) {
    if (!name.starts_with("backbone.")) continue;
    EXPECT_EQ(values(model, name), model::to_f32(tensor)) << name;
  }
  EXPECT_EQ(values(model, "aggregator.score.0.weight").size(), 32U * 16U);
  model::save_model_file(folder / "again.safetensors", model);  // is a whole model
  EXPECT_EQ(model::load_model_file(folder / "again.safetensors")->config.fingerprint, model.config.fingerprint);
  auto next = settings;
  next.backbone = folder / "again.safetensors";
  EXPECT_EQ(initial_model(next, {56, 84}, 3).config.provenance, "trained from random weights, seed 9") << "said once";

  settings.depth = 7;
  try {
    initial_model(settings, {56, 84}, 3);
    ADD_FAILURE() << "was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_EQ(std::string(error.what()), "depth = 7 was asked for, but '" + (folder / "m.safetensors").string() + "' has 2");
  }
}

TEST(InitialModel, KeepsAllOfAModelWhoseWeitopAloneLearns) {
  const model::testing::TempFolder folder;
  const auto stored = model::make_random(model::testing::tiny_config(), 9);
  model::save_model_file(folder / "m.safetensors", *stored);
  TrainModel settings = small_settings();
  settings.width = settings.depth = settings.heads = settings.trained_blocks = 0;
  settings.backbone = folder / "m.safetensors";
  settings.weitop_only = true;
  const Size own = stored->config.input.size;
  const auto model = initial_model(settings, own, 3);
  EXPECT_EQ(model.config.head.transport().cluster_dim, stored->config.head.transport().cluster_dim) << "not that of the settings";
  EXPECT_EQ(model.config.weitop_hidden, stored->config.weitop_hidden);
  for (const auto& [name, tensor] : stored->weights.all()) EXPECT_EQ(values(model, name), model::to_f32(tensor)) << name;

  model::Config bare = model::testing::tiny_config();
  bare.own = {};
  model::save_model_file(folder / "bare.safetensors", *model::make_random(bare, 9));
  settings.backbone = folder / "bare.safetensors";
  EXPECT_EQ(values(initial_model(settings, own, 3), "weitop.0.bias").size(), 20U) << "one that had none gets one";

  bare.head = {};
  model::save_model_file(folder / "headless.safetensors", *model::make_random(bare, 9));
  const auto refused = [&](const char* file, Size size) {
    settings.backbone = folder / file;
    try {
      initial_model(settings, size, 3);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(refused("headless.safetensors", own).find("headless.safetensors' has none"), std::string::npos);
  EXPECT_NE(refused("m.safetensors", {56, 84}).find("but it would become 56x84"), std::string::npos);
  settings.infer_size = own;
  EXPECT_EQ(refused("m.safetensors", {56, 84}), "accepted") << "it learns from other pictures, and stays a model of its own size";
}

TEST(InitialModel, KeepsTheHeadThatLearnsOn) {
  const model::testing::TempFolder folder;
  const auto stored = model::make_random(model::testing::tiny_config(), 9);
  model::save_model_file(folder / "m.safetensors", *stored);
  TrainModel settings = small_settings();
  settings.width = settings.depth = settings.heads = 0;
  settings.backbone = folder / "m.safetensors";
  settings.head_start = "own";
  const auto model = initial_model(settings, {56, 84}, 3);
  EXPECT_EQ(model.config.input.size, (Size{56, 84})) << "pictures may be of another size";
  EXPECT_EQ(model.config.head.transport().cluster_dim, stored->config.head.transport().cluster_dim) << "not that of the settings";
  EXPECT_EQ(model.config.weitop_hidden, stored->config.weitop_hidden);
  for (const auto& [name, tensor] : stored->weights.all()) EXPECT_EQ(values(model, name), model::to_f32(tensor)) << name;

  settings.weitop = false;
  EXPECT_FALSE(initial_model(settings, {56, 84}, 3).config.own.prune) << "left behind when asked for";

  model::Config bare = model::testing::tiny_config();
  bare.own = {};
  bare.head.kind = model::kSalad;
  model::save_model_file(folder / "salad.safetensors", *model::make_random(bare, 9));
  settings.backbone = folder / "salad.safetensors";
  settings.aggregator = "salad";
  EXPECT_EQ(initial_model(settings, {56, 84}, 3).config.head.kind, model::kSalad);
  const auto refused = [&] {
    try {
      initial_model(settings, {56, 84}, 3);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  settings.aggregator = "weiad";
  EXPECT_NE(refused().find("salad.safetensors' is salad"), std::string::npos) << refused();
  bare.head = {};
  model::save_model_file(folder / "headless.safetensors", *model::make_random(bare, 9));
  settings.backbone = folder / "headless.safetensors";
  EXPECT_NE(refused().find("headless.safetensors' is none"), std::string::npos) << refused();

  model::Config unpruned = model::testing::tiny_config();
  unpruned.own = {};
  model::save_model_file(folder / "unpruned.safetensors", *model::make_random(unpruned, 9));
  settings.backbone = folder / "unpruned.safetensors";
  settings.weitop = true;
  EXPECT_EQ(values(initial_model(settings, {56, 84}, 3), "weitop.0.bias").size(), 20U) << "one begins where there is none";
}

TEST(InitialModel, HasTheRankingAndTheNormThatAreAskedFor) {
  TrainModel settings = small_settings();
  settings.ranking = "frozen";
  settings.cluster_norm = "none";
  settings.infer_size = {112, 112};
  const auto model = initial_model(settings, {70, 70}, 3);
  EXPECT_EQ(model.config.head.transport().norm, model::ClusterNorm::kNone);
  EXPECT_EQ(values(model, "aggregator.mean_alpha"), std::vector<float>(8, 0.0F));
  EXPECT_EQ(model.config.input.size, (Size{70, 70})) << "it is trained at this size";
  EXPECT_FALSE(initial_model(small_settings(), {70, 70}, 3).weights.contains("aggregator.mean_alpha"));
  EXPECT_NE(refusal([](TrainModel& m) { m.infer_size = {100, 100}; }).find("size 100x100 is not a multiple"), std::string::npos);
  EXPECT_NE(refusal([](TrainModel& m) {
              m.aggregator = "salad";
              m.weitop = false;
              m.infer_size = {28, 28};
            }).find("pictures of 28x28 have 4"),
            std::string::npos);
}

TEST(InitialModel, RecordsThePrunerItIsTrainedWithAndMakesPredictorsThatKeepTheirShare) {
  TrainModel settings = small_settings();
  settings.weitop = false;
  settings.own.prune = "tome";
  settings.own.prune_options = "r=2,prop_attn=false";
  const auto merging = initial_model(settings, {70, 70}, 1);
  EXPECT_EQ(merging.config.own.prune, "tome");
  EXPECT_EQ(merging.config.own.prune_options, "prop_attn=false") << "how much is for each run to say";
  EXPECT_FALSE(merging.config.own.rho);
  EXPECT_EQ(merging.config.predictors, 0);

  settings.own.prune = "dynamicvit";
  settings.own.prune_options = "keep=0.8,at=1|2";
  const auto model = initial_model(settings, {70, 70}, 1);
  EXPECT_EQ(model.config.predictors, 2);
  const auto bias = values(model, "score_predictor.1.out_conv.4.bias");
  EXPECT_NEAR(1 / (1 + std::exp(bias[1] - bias[0])), 0.8, 1e-6);
  EXPECT_NEAR(deviation(values(model, "score_predictor.0.in_conv.1.weight")), 0.0176, 2e-3);  // 0.02, cut at two deviations

  const model::testing::TempFolder folder;
  model::save_model_file(folder / "m.safetensors", model);
  settings.width = settings.depth = settings.heads = 0;
  settings.backbone = folder / "m.safetensors";
  settings.head_start = "own";
  const auto further = initial_model(settings, {70, 70}, 2);
  EXPECT_EQ(values(further, "score_predictor.0.in_conv.1.weight"), values(model, "score_predictor.0.in_conv.1.weight"));
  settings.head_start = "random";
  const auto fresh = initial_model(settings, {70, 70}, 2);
  EXPECT_NE(values(fresh, "score_predictor.0.in_conv.1.weight"), values(model, "score_predictor.0.in_conv.1.weight"));
}

TEST(InitialModel, ReadsAForeignCheckpointAsImportDoes) {
  const model::testing::TempFolder folder;
  model::Config config = model::testing::tiny_backbone();
  config.vit().layer_scale = false;  // timm
  const model::Weights source = model::testing::renamed(config, model::testing::hub_names(""));
  model::write_safetensors(folder / "vit.safetensors", source, {});
  TrainModel settings = small_settings();
  settings.width = settings.depth = 0;
  settings.heads = 2;  // no checkpoint says how many
  settings.backbone = folder / "vit.safetensors";
  const auto model = initial_model(settings, {42, 56}, 3);
  EXPECT_EQ(model.config.vit().heads, 2);
  EXPECT_EQ(model.config.vit().pos_rule, model::PosRule::kTimm);
  EXPECT_EQ(model.config.input.mean[0], 0.5F);
  EXPECT_EQ(model.config.input.size, (Size{42, 56}));
  EXPECT_EQ(values(model, "backbone.model.blocks.1.attn.qkv.weight"), model::to_f32(source.at("blocks.1.attn.qkv.weight")));
}

TEST(InitialModel, RefusesSettingsThatDoNotFitWithOneSentence) {
  EXPECT_EQ(refusal([](TrainModel& m) { m.tiers = {4, 2, 1}; }), "tiers [4, 2, 1] hold 7 clusters, but there are 8");
  EXPECT_EQ(refusal([](TrainModel& m) { m.tiers = {9, -1}; }), "tiers [9, -1] hold 8 clusters, but there are 8");
  EXPECT_EQ(refusal([](TrainModel& m) { m.heads = 3; }), "3 heads do not divide a width of 64");
  EXPECT_EQ(refusal([](TrainModel& m) { m.trained_blocks = 4; }),
            "trained_blocks must be between 0 and the backbone's 3 blocks, not 4");
  EXPECT_EQ(refusal([](TrainModel& m) { m.own.prune_layer = 4; }), "'model settings': pruner.layer is 4, outside 0 to 3");
  EXPECT_EQ(refusal([](TrainModel& m) { m.hidden = 0; }), "'model settings': aggregator.hidden is 0, outside 1 to 8192");
  EXPECT_EQ(refusal([](TrainModel& m) { m.tier_delta = -0.1; }), "tier_delta must be between 0 and 10, not -0.1");
  EXPECT_EQ(refusal([](TrainModel& m) { m.aggregator = "gem"; }), "aggregator 'gem' is neither weiad nor salad");
  EXPECT_EQ(refusal([](TrainModel& m) { m.arch = "vitx"; }),
            "no architecture is called 'vitx'; known are demo, vits14, vitb14, vitl14");
  EXPECT_EQ(refusal([](TrainModel&) {}, {70, 80}),
            "size 70x80 is not a multiple of the network's patch of 14 pixels; the nearest is 70x84");
  EXPECT_EQ(refusal([](TrainModel& m) { m.ghost = false; }, {28, 56}),
            "8 clusters without a ghost token need more than 8 patches, but pictures of 28x56 have 8");
  refusal([](TrainModel& m) { m.backbone = "/nowhere/at-all.pth"; }, {70, 70}, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace revisit::train

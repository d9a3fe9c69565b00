// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/train/vocabulary_start.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "engine/aggregate/kmeans.h"
#include "engine/model/model_file.h"
#include "revisit/error.h"
#include "training/train/head_twin.h"
#include "training/train/initial_model.h"
#include "training/train/network.h"

namespace revisit::train {
namespace {

TrainModel settings_of(int width, int hidden, int cluster_dim) {
  TrainModel settings;
  settings.width = width;
  settings.depth = 2;
  settings.heads = 2;
  settings.trained_blocks = 2;
  settings.clusters = 8;
  settings.cluster_dim = cluster_dim;
  settings.token_dim = 24;
  settings.hidden = hidden;
  settings.tiers = {4, 2, 1, 1};
  settings.weitop_hidden = 20;
  return settings;
}

/// Tokens in eight heaps well apart, off centre, one direction ten times as wide as the others: (n, width).
torch::Tensor heaps(int n, int width) {
  torch::manual_seed(7);
  const torch::Tensor centres = 3 * torch::randn({8, width}) + 1;
  const torch::Tensor heap = torch::randint(8, {n}, torch::kInt64);
  torch::Tensor x = centres.index_select(0, heap) + 0.3 * torch::randn({n, width});
  x.select(1, 3) *= 10;
  return x;
}

torch::Tensor layer(const Network& network, const std::string& name, const torch::Tensor& x) {
  return linear(network.tensors(), "aggregator." + name, x);
}

torch::Tensor mlp(const Network& network, const std::string& name, const torch::Tensor& x) {
  return layer(network, name + ".3", torch::relu(layer(network, name + ".0", x)));
}

Network started(const TrainModel& settings, const torch::Tensor& x) {
  model::LoadedModel model = initial_model(settings, {70, 70}, 1);
  start_from_vocabulary(model, x, 1);
  NetworkOptions options;
  options.trained_blocks = 2;
  return Network(model, options);
}

TEST(VocabularyStart, FeaturesAreWhiteAndClustersAreWords) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor x = heaps(2000, 32);
  const Network network = started(settings_of(32, 70, 6), x);  // 64 of the 70 inner units are directions

  const torch::Tensor features = mlp(network, "cluster_features", x);
  EXPECT_LT(features.mean(0).abs().max().item<float>(), 1e-3F);
  const torch::Tensor covariance = torch::matmul(features.t(), features) / 2000;
  EXPECT_LT((covariance - torch::eye(6)).abs().max().item<float>(), 1e-2F);

  // Every patch scores best with the word nearest to it.
  const torch::Tensor points = (x / x.norm(2, 1).mean()).contiguous();
  auto words = aggregate::fit_kmeans({points.data_ptr<float>(), 2000, 32, 32}, 8, 1).centres;
  const torch::Tensor nearest = torch::cdist(points, torch::from_blob(words.data(), {8, 32}, torch::kFloat32)).argmin(1);
  EXPECT_TRUE(torch::equal(mlp(network, "score", x).argmax(1), nearest));
}

TEST(VocabularyStart, TheBestScoreOfAUsualPatchIsAboveTheDustbin) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor x = heaps(2000, 32);
  const Network network = started(settings_of(32, 64, 6), x);
  const double best = std::get<0>(mlp(network, "score", x).max(1)).mean().item<double>();
  EXPECT_NEAR(best - network.tensors().at("aggregator.dust_bin").item<double>(), 5, 1e-3);
}

TEST(VocabularyStart, KeepsTheStrongestDirectionsOfAWideToken) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor x = heaps(2000, 32);
  const Network network = started(settings_of(32, 20, 10), x);  // ten directions of 32
  const torch::Tensor features = mlp(network, "cluster_features", x);
  const torch::Tensor covariance = torch::matmul(features.t(), features) / 2000;
  EXPECT_LT((covariance - torch::eye(10)).abs().max().item<float>(), 1e-2F);
}

TEST(VocabularyStart, RefusesMoreFeaturesThanDirections) {
  const torch::Tensor x = heaps(100, 32);
  model::LoadedModel model = initial_model(settings_of(32, 20, 11), {70, 70}, 1);
  try {
    start_from_vocabulary(model, x, 1);
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_STREQ(
        error.what(),
        "head_start = \"vocabulary\" has 10 directions with hidden = 20 on tokens of 32 values, fewer than cluster_dim = 11");
  }
}

TEST(VocabularyStart, LeavesTheRestOfTheModelAlone) {
  const torch::Tensor x = heaps(500, 32);
  const model::LoadedModel before = initial_model(settings_of(32, 64, 6), {70, 70}, 1);
  model::LoadedModel after = initial_model(settings_of(32, 64, 6), {70, 70}, 1);
  start_from_vocabulary(after, x, 1);
  for (const auto& [name, shape] : model::required_tensors(before.config)) {
    const bool ours = name.starts_with("aggregator.score.") || name.starts_with("aggregator.cluster_features.");
    EXPECT_EQ(model::to_f32(before.weights.at(name)) == model::to_f32(after.weights.at(name)), !ours) << name;
  }
  EXPECT_NE(before.config.fingerprint, after.config.fingerprint);
}

}  // namespace
}  // namespace revisit::train

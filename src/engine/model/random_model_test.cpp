// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Random models: the same on every machine, and shaped like trained ones.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/model/model_file.h"
#include "engine/model/test_models.h"
#include "revisit/error.h"

namespace revisit::model {
namespace {

struct Moments {
  double mean = 0, deviation = 0;
};

Moments moments_of(const LoadedModel& model, const std::string& name) {
  const auto values = to_f32(model.weights.at(name));
  double sum = 0, squares = 0;
  for (const float value : values) {
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  const double n = static_cast<double>(values.size());
  return {sum / n, std::sqrt(squares / n - sum / n * sum / n)};
}

TEST(RandomModel, TheSameSeedGivesTheSameBitsAndAnotherDoesNot) {
  const auto a = make_random(testing::tiny_config(), 7);
  const auto b = make_random(testing::tiny_config(), 7);
  const auto c = make_random(testing::tiny_config(), 8);
  EXPECT_EQ(a->config.fingerprint, b->config.fingerprint);
  EXPECT_NE(a->config.fingerprint, c->config.fingerprint);
}

TEST(RandomModel, TheDemoModelIsTheSameOnEveryMachine) {
  const auto model = make_random(named_config("demo"), 0);
  EXPECT_EQ(model->config.fingerprint, "6a3eca5417f44aae");
  EXPECT_EQ(model->config.licence, "Apache-2.0 (random weights)");
  EXPECT_EQ(model->config.provenance, "random weights, seed 0");
}

TEST(RandomModel, ValuesHaveTheSpreadOfTrainedNetworks) {
  const auto model = make_random(named_config("demo"), 3);
  const auto fc1 = moments_of(*model, "backbone.model.blocks.0.mlp.fc1.weight");
  EXPECT_NEAR(fc1.mean, 0, 1e-3);
  EXPECT_NEAR(fc1.deviation, 1 / std::sqrt(192.0), 2e-3);
  EXPECT_NEAR(moments_of(*model, "backbone.model.norm.weight").mean, 1, 0.05);
  const auto gamma = to_f32(model->weights.at("backbone.model.blocks.1.ls1.gamma"));
  for (const float value : gamma) {
    EXPECT_GE(value, 0.1F);
    EXPECT_LE(value, 1.0F);
  }
  for (const float value : to_f32(model->weights.at("aggregator.thetaD"))) {
    EXPECT_NEAR(std::log1p(std::exp(static_cast<double>(value))), 0.1, 1e-6);
  }
  EXPECT_EQ(to_f32(model->weights.at("aggregator.dust_bin")), std::vector<float>{1.0F});
  EXPECT_EQ(to_f32(model->weights.at("aggregator.theta0")), std::vector<float>{0.0F});
}

TEST(RandomModel, PositionsOfNeighboursAreAlike) {
  const auto model = make_random(named_config("demo"), 3);
  const auto table = to_f32(model->weights.at("backbone.model.pos_embed"));
  const auto distance = [&](std::size_t a, std::size_t b) {  // between grid cells, row-major, 16 columns
    double sum = 0;
    for (std::size_t c = 0; c < 192; ++c)
      sum += std::pow(static_cast<double>(table[(1 + a) * 192 + c] - table[(1 + b) * 192 + c]), 2);
    return std::sqrt(sum);
  };
  EXPECT_LT(2 * distance(0, 1), distance(0, 15));
  EXPECT_LT(2 * distance(0, 16), distance(0, 255));
}

TEST(NamedConfig, KnowsThePaperSizesAndRefusesOtherNames) {
  EXPECT_EQ(named_config("demo").head.descriptor_dim(), 64 * 32 + 64);
  EXPECT_EQ(named_config("vits14").vit().arch, "dinov2_vits14");
  EXPECT_EQ(named_config("vitb14").vit().heads, 12);
  EXPECT_EQ(named_config("vitl14").vit().depth, 24);
  EXPECT_EQ(named_config("vitl14").head.descriptor_dim(), 8448);
  try {
    named_config("vitx");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
  }
}

}  // namespace
}  // namespace revisit::model

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The losses against recorded batches of the reference, and against their formulas.
#include "training/train/losses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "training/train/test_tensors.h"

namespace revisit::train {
namespace {

using revisit::testing::GoldenCase;

TEST(MultiSimilarityGolden, EveryRecordedBatchGivesItsPairsLossAndGradient) {
  REVISIT_REQUIRE_SHARED("golden/ms_loss");
  const GoldenCase golden("ms_loss");
  int batches = 0;
  for (const auto& [name, values] : golden.json()["values"].items()) {
    SCOPED_TRACE(name);
    TrainLoss settings;
    settings.ms_alpha = values["alpha"];
    settings.ms_beta = values["beta"];
    settings.ms_base = values["base"];
    settings.miner_epsilon = values["epsilon"];
    torch::Tensor raw = testing::floats(golden, name + "_embeddings");
    raw.set_requires_grad(true);
    const torch::Tensor labels = testing::integers(golden, name + "_labels");
    const torch::Tensor descriptors = torch::nn::functional::normalize(raw, torch::nn::functional::NormalizeFuncOptions().dim(1));

    const MinedPairs mined = mine_pairs(torch::matmul(descriptors, descriptors.t()), labels, settings.miner_epsilon);
    EXPECT_TRUE(torch::equal(testing::pairs_of(mined.positives), testing::integers(golden, name + "_mined_pos")));
    EXPECT_TRUE(torch::equal(testing::pairs_of(mined.negatives), testing::integers(golden, name + "_mined_neg")));

    const PlaceLoss loss = multi_similarity(descriptors, labels, settings);
    golden.expect_close(name + "_loss", testing::values_of(loss.value));
    EXPECT_NEAR(loss.b_acc, values["b_acc"].get<double>(), 1e-12);
    loss.value.backward();
    ASSERT_TRUE(raw.grad().defined());
    golden.expect_close(name + "_grad", testing::values_of(raw.grad()));
    ++batches;
  }
  EXPECT_EQ(batches, 11);
}

TEST(Distillation, IsTheScaledDivergenceOfTheTwoDistributions) {
  const std::vector<float> importance{0.1F, 0.3F, 0.2F, 0.5F, 0.4F, 0.0F};
  const std::vector<float> scores{0.2F, -0.1F, 0.3F, 0.1F, 0.1F, 0.6F};
  TrainLoss settings;
  settings.temperature = 0.5;
  double sum = 0;
  for (std::size_t image = 0; image < 2; ++image) {
    double teacher_total = 0;
    double student_total = 0;
    for (std::size_t i = 3 * image; i < 3 * image + 3; ++i) {
      teacher_total += std::exp(importance[i] / 0.5);
      student_total += std::exp(scores[i] / 0.5);
    }
    for (std::size_t i = 3 * image; i < 3 * image + 3; ++i) {
      const double p = std::exp(importance[i] / 0.5) / teacher_total;
      sum += p * std::log(p / (std::exp(scores[i] / 0.5) / student_total));
    }
  }
  const auto run = [&] {
    return distillation(testing::copy_of(importance, {2, 3}), testing::copy_of(scores, {2, 3}), settings).item<double>();
  };
  EXPECT_NEAR(run(), 0.25 * sum / 2 / 3, 1e-7);
  settings.summed_kl = true;
  EXPECT_NEAR(run(), 0.25 * sum / 2, 1e-7);
}

TEST(Distillation, IsZeroForEqualScoresUpToAShift) {
  const torch::Tensor importance = torch::rand({4, 30});
  EXPECT_NEAR(distillation(importance, importance + 3, {}).item<double>(), 0.0, 1e-6);
}

TEST(ContextLoss, IsTheShareOfVarianceThatTokensAreOffAndTheAngleOfDescriptors) {
  const torch::Tensor whole = torch::tensor({{{1.0, 3.0}, {5.0, 7.0}}});  // variance 5
  const torch::Tensor tokens = whole + torch::tensor({{{1.0, -1.0}, {2.0, 0.0}}});
  const torch::Tensor east = torch::tensor({{1.0, 0.0}}), between = torch::tensor({{0.6, 0.8}});
  EXPECT_NEAR(context_loss(tokens, whole, between, east).item<double>(), 1.5 / 5 + 0.4, 1e-6);
  EXPECT_NEAR(context_loss(whole, whole, east, east).item<double>(), 0, 1e-12);
  const torch::Tensor flat = torch::ones({1, 2, 2});
  EXPECT_NEAR(context_loss(flat, flat, east, east).item<double>(), 0, 1e-12) << "tokens without variance";
}

TEST(TierAgreement, CountsClustersOfPairsThatShowOnePlace) {
  const torch::Tensor tiers = torch::tensor({{0, 1, 1, 2}, {0, 1, 2, 1}, {2, 1, 1, 0}, {2, 1, 1, 0}}, torch::kInt64);
  EXPECT_NEAR(tier_agreement(tiers, torch::tensor({5, 5, 6, 7}, torch::kInt64)), 0.5, 1e-6);
  EXPECT_NEAR(tier_agreement(tiers, torch::tensor({5, 5, 6, 6}, torch::kInt64)), 0.75, 1e-6);
  EXPECT_EQ(tier_agreement(tiers, torch::tensor({1, 2, 3, 4}, torch::kInt64)), 0.0);
}

}  // namespace
}  // namespace revisit::train

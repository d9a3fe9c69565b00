// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/train/schedule.h"

#include <gtest/gtest.h>

namespace revisit::train {
namespace {

TEST(Schedule, FallsLinearlyToItsEndAndStaysThere) {
  TrainOptimiser settings;  // 1 -> 0.2 over 4000 steps, as SALAD's
  EXPECT_DOUBLE_EQ(lr_factor(settings, 0), 1.0);
  EXPECT_DOUBLE_EQ(lr_factor(settings, 1000), 0.8);
  EXPECT_DOUBLE_EQ(lr_factor(settings, 2000), 0.6);
  EXPECT_NEAR(lr_factor(settings, 3999), 0.2002, 1e-12);
  EXPECT_NEAR(lr_factor(settings, 4000), 0.2, 1e-12);
  EXPECT_NEAR(lr_factor(settings, 1'000'000), 0.2, 1e-12);
}

TEST(Schedule, WarmsUpFromTheFirstStep) {
  TrainOptimiser settings;
  settings.warmup_steps = 10;
  settings.end_factor = 1;
  EXPECT_DOUBLE_EQ(lr_factor(settings, 0), 0.1);
  EXPECT_DOUBLE_EQ(lr_factor(settings, 4), 0.5);
  EXPECT_DOUBLE_EQ(lr_factor(settings, 9), 1.0);
  EXPECT_DOUBLE_EQ(lr_factor(settings, 10), 1.0);
}

TEST(Schedule, WarmUpAndDecayMultiply) {
  TrainOptimiser settings;
  settings.warmup_steps = 4;
  settings.decay_steps = 10;
  settings.end_factor = 0;
  EXPECT_DOUBLE_EQ(lr_factor(settings, 1), 0.5 * 0.9);
  EXPECT_DOUBLE_EQ(lr_factor(settings, 10), 0.0);
}

TEST(Schedule, RhoIsOneUnlessARangeIsGiven) {
  const TrainLoss settings;
  for (std::int64_t step = 0; step < 50; ++step) EXPECT_EQ(rho_of_step(settings, 7, step), 1);
}

TEST(Schedule, AsManyBatchesArePrunedAsAskedFor) {
  TrainLoss settings;
  settings.random_rho_from = 0.4;
  for (const double share : {0.8, 1.0}) {
    settings.random_rho_share = share;
    int pruned = 0;
    for (std::int64_t step = 0; step < 1000; ++step) pruned += rho_of_step(settings, 7, step) < 1;
    EXPECT_NEAR(pruned, 1000 * share, share < 1 ? 51 : 0);  // four deviations
  }
}

TEST(Schedule, HalfOfTheBatchesArePrunedAtRhosOverTheWholeRange) {
  TrainLoss settings;
  settings.random_rho_from = 0.4;
  settings.random_rho_after = 2000;
  int pruned = 0;
  double least = 1, most = 0, sum = 0;
  for (std::int64_t step = 0; step < 2000; ++step) EXPECT_EQ(rho_of_step(settings, 7, step), 1) << step;
  for (std::int64_t step = 2000; step < 6000; ++step) {
    const double rho = rho_of_step(settings, 7, step);
    EXPECT_EQ(rho, rho_of_step(settings, 7, step));
    if (rho == 1) continue;
    ++pruned;
    least = std::min(least, rho);
    most = std::max(most, rho);
    sum += rho;
  }
  EXPECT_NEAR(pruned, 2000, 130);  // four deviations
  EXPECT_GE(least, 0.4);
  EXPECT_LT(least, 0.41);
  EXPECT_GT(most, 0.99);
  EXPECT_NEAR(sum / pruned, 0.7, 0.02);
}

TEST(Schedule, SeedsOfStepsAndRunsDiffer) {
  EXPECT_NE(dropout_seed(1, 0), dropout_seed(1, 1));
  EXPECT_NE(dropout_seed(1, 0), dropout_seed(2, 0));
  EXPECT_NE(dropout_seed(1, 2), dropout_seed(2, 1));
}

TEST(LossScale, HalvesOnOverflowAndGrowsAfterALongGoodStretch) {
  LossScale scale;
  scale.update(true);
  EXPECT_EQ(scale.value, LossScale::kFirst / 2);
  for (std::int64_t i = 0; i < LossScale::kPatience - 1; ++i) scale.update(false);
  EXPECT_EQ(scale.value, LossScale::kFirst / 2);
  scale.update(false);
  EXPECT_EQ(scale.value, LossScale::kFirst);
  EXPECT_EQ(scale.good_steps, 0);
  for (int i = 0; i < 100; ++i) scale.update(true);
  EXPECT_EQ(scale.value, LossScale::kLeast);
}

}  // namespace
}  // namespace revisit::train

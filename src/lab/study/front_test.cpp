// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "revisit/lab/sweep.h"

namespace revisit {
namespace {

SweepPoint point(const char* model, double rho, double ms, double recall, const char* precision = "f32") {
  SweepPoint out;
  out.model = model;
  out.rho = rho;
  out.ms_per_image = ms;
  out.evaluation.recall = {{1, recall, 0, 0}};
  out.precision = precision;
  return out;
}

const std::vector<SweepPoint> kTwoModels{point("vitb14", 1, 120, 85),  point("vitb14", 0.7, 80, 82),
                                         point("vitb14", 0.4, 49, 79), point("vits14", 1, 48, 81.2),
                                         point("vits14", 0.5, 25, 70), point("vits14", 0.4, 26, 69)};

TEST(ParetoFront, HasThePointsThatNoOtherBeats) {
  EXPECT_EQ(pareto_front(kTwoModels), (std::vector<bool>{true, true, false, true, true, false}));
  EXPECT_EQ(pareto_front({point("a", 1, 5, 50), point("b", 1, 5, 50), point("c", 1, 5, 49), point("d", 1, 6, 50)}),
            (std::vector<bool>{true, true, false, false}))
      << "equals are both on it; as fast with less recall, or as good but slower, is not";
  EXPECT_TRUE(pareto_front({}).empty());
}

TEST(BestWithin, IsTheHighestRecallInTime) {
  EXPECT_EQ(best_within(kTwoModels, 200), 0U);
  EXPECT_EQ(best_within(kTwoModels, 120), 0U);
  EXPECT_EQ(best_within(kTwoModels, 119), 1U);
  EXPECT_EQ(best_within(kTwoModels, 50), 3U);
  EXPECT_EQ(best_within(kTwoModels, 24), std::nullopt);
  EXPECT_EQ(best_within({point("a", 1, 5, 50), point("b", 1, 4, 50)}, 9), 1U) << "of equals the faster";
}

TEST(BudgetSentence, SaysWhenASmallerModelBeatsAPrunedLargerOne) {
  EXPECT_EQ(budget_sentence(kTwoModels, 50), "within 50 ms: vits14 at rho 1 (R@1 81.2) is better than vitb14 at rho 0.4 (79.0)");
  EXPECT_EQ(budget_sentence(kTwoModels, 90), "within 90 ms: vitb14 at rho 0.7 (R@1 82.0) is the best");
  EXPECT_EQ(budget_sentence(kTwoModels, 20), "within 20 ms: nothing; the fastest is vits14 at rho 0.5 (25.0 ms)");
  EXPECT_EQ(budget_sentence({point("a", 1, 5, 50), point("a", 1, 3, 49, "int8")}, 4),
            "within 4 ms: a at rho 1, int8 (R@1 49.0) is the best");
}

}  // namespace
}  // namespace revisit

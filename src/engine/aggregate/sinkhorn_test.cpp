// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/aggregate/sinkhorn.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "engine/aggregate/test_support.h"
#include "revisit/error.h"

namespace revisit::aggregate {
namespace {

struct Form {
  int tokens, clusters;
  bool dustbin, ghost;
  float spread;
  int iterations;
};

/// Largest relative deviation of a token row (or the ghost row) from its mass; infinity when anything is not finite.
double worst_row(const Transport& transport, const LogMarginals& masses, int tokens) {
  double worst = 0;
  for (int i = 0; i < transport.plan.rows; ++i) {
    const float* row = transport.plan.row(i);
    double sum = 0;
    for (int j = 0; j < transport.plan.cols; ++j) {
      if (!std::isfinite(row[j]) || row[j] < 0 || !std::isfinite(transport.cluster_potential[j])) return INFINITY;
      sum += row[j];
    }
    const double mass = i < tokens ? 1.0 : std::exp(*masses.ghost);
    worst = std::max(worst, std::abs(sum - mass) / mass);
    if (!std::isfinite(transport.token_potential[i])) return INFINITY;
  }
  return worst;
}

class Sinkhorn : public ::testing::TestWithParam<Form> {};

TEST_P(Sinkhorn, EqualsTheReference) {
  const Form form = GetParam();
  std::mt19937 random(3);
  const auto scores = testing::random_values(static_cast<std::size_t>(form.tokens * form.clusters), random, form.spread);
  const auto s = testing::view(scores, form.tokens, form.clusters);
  const LogMarginals masses = marginals(form.tokens, form.clusters, form.dustbin, form.ghost);
  tensor::Arena arena;
  const Transport got = sinkhorn(s, 1.0F, masses, form.iterations, arena);
  const std::vector<double> want = reference::sinkhorn(s, 1.0F, masses, form.iterations);

  ASSERT_EQ(got.plan.rows, form.tokens + (form.ghost ? 1 : 0));
  ASSERT_EQ(got.plan.cols, form.clusters + (form.dustbin ? 1 : 0));
  for (int i = 0; i < got.plan.rows; ++i) {
    for (int j = 0; j < got.plan.cols; ++j) {
      const double log_p = want[static_cast<std::size_t>(i * got.plan.cols + j)];
      const double p = std::exp(log_p);
      EXPECT_NEAR(got.plan.row(i)[j], p, 1e-5 * std::max(1.0, p));
      const float score = i < form.tokens && j < form.clusters ? s.row(i)[j] : 1.0F;
      EXPECT_NEAR(score + got.cluster_potential[j] + got.token_potential[i], log_p, 1e-5 * (1 + form.spread));
    }
  }
  EXPECT_LT(worst_row(got, masses, form.tokens), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Forms, Sinkhorn,
                         ::testing::Values(Form{529, 64, true, true, 2, 3}, Form{529, 64, true, false, 2, 3},
                                           Form{529, 64, false, true, 2, 3}, Form{529, 64, false, false, 2, 3},
                                           Form{1, 64, true, true, 1, 3}, Form{10, 64, true, true, 4, 3},
                                           Form{65, 64, true, false, 1, 3}, Form{1, 1, true, true, 1, 1},
                                           Form{2, 1, true, false, 1, 2}, Form{3, 17, false, false, 1, 5},
                                           Form{31, 15, true, true, 8, 10}, Form{300, 16, false, true, 1, 1}));

TEST(SinkhornExtremes, TenThousandRandomProblemsStayFiniteAndKeepTokenMarginals) {
  std::mt19937 random(11);
  std::uniform_int_distribution<int> small(1, 24);
  std::uniform_int_distribution<int> exponent(-2, 4);
  std::uniform_int_distribution<int> coin(0, 1);
  tensor::Arena arena;
  double worst = 0;
  for (int problem = 0; problem < 10'000; ++problem) {
    const int clusters = small(random);
    const bool dustbin = coin(random) == 1;
    const bool ghost = coin(random) == 1;
    const int tokens = small(random) + (dustbin && !ghost ? clusters : 0);
    const float size = std::pow(10.0F, static_cast<float>(exponent(random)));
    std::uniform_real_distribution<float> score(-size, size);
    std::vector<float> scores(static_cast<std::size_t>(tokens * clusters));
    for (float& value : scores) value = coin(random) == 1 ? score(random) : std::copysign(size, score(random));
    const LogMarginals masses = marginals(tokens, clusters, dustbin, ghost);
    arena.reset();
    worst = std::max(
        worst, worst_row(sinkhorn(testing::view(scores, tokens, clusters), score(random), masses, 3, arena), masses, tokens));
  }
  RecordProperty("worst_token_marginal", fmt::format("{:.2e}", worst));
  EXPECT_LT(worst, 1e-5);
}

TEST(SinkhornExtremes, AHundredThousandTokensKeepTheirMarginals) {
  std::mt19937 random(5);
  const int tokens = 100'000;
  const int clusters = 8;
  const auto scores = testing::random_values(static_cast<std::size_t>(tokens) * clusters, random);
  for (const bool ghost : {true, false}) {
    const LogMarginals masses = marginals(tokens, clusters, true, ghost);
    tensor::Arena arena;
    const Transport got = sinkhorn(testing::view(scores, tokens, clusters), 1.0F, masses, 3, arena);
    EXPECT_LT(worst_row(got, masses, tokens), 1e-5);
    const std::vector<double> want = reference::sinkhorn(testing::view(scores, tokens, clusters), 1.0F, masses, 3);
    for (int j = 0; j < clusters; ++j) {
      double sum = 0;
      double sum_want = 0;
      for (int i = 0; i < tokens; ++i) {
        sum += got.plan.row(i)[j];
        sum_want += std::exp(want[static_cast<std::size_t>(i) * (clusters + 1) + static_cast<std::size_t>(j)]);
      }
      EXPECT_NEAR(sum, sum_want, 1e-5 * sum_want);
    }
  }
}

TEST(SinkhornExtremes, EqualScoresGiveEqualShares) {
  for (const float value : {0.0F, 1e4F, -1e4F}) {
    const std::vector<float> scores(40 * 8, value);
    const LogMarginals masses = marginals(40, 8, false, false);
    tensor::Arena arena;
    const Transport got = sinkhorn(testing::view(scores, 40, 8), value, masses, 3, arena);
    for (int i = 0; i < 40; ++i) {
      for (int j = 0; j < 8; ++j) EXPECT_NEAR(got.plan.row(i)[j], 0.125F, 1e-6);
    }
  }
}

TEST(SinkhornExtremes, TakesNothingFromTheHeapOnceTheArenaIsWarm) {
  std::mt19937 random(5);
  const auto scores = testing::random_values(529 * 64, random);
  const LogMarginals masses = marginals(529, 64, true, true);
  tensor::Arena arena;
  sinkhorn(testing::view(scores, 529, 64), 1.0F, masses, 3, arena);
  arena.reset();
  const std::size_t warm = arena.capacity_bytes();
  sinkhorn(testing::view(scores, 529, 64), 1.0F, masses, 3, arena);
  EXPECT_EQ(arena.capacity_bytes(), warm);
}

TEST(Marginals, BothSidesHoldTheSameMassInAllFourForms) {
  for (const bool dustbin : {true, false}) {
    for (const bool ghost : {true, false}) {
      for (const int tokens : {65, 70, 529, 100'000}) {
        const LogMarginals masses = marginals(tokens, 64, dustbin, ghost);
        EXPECT_EQ(masses.dustbin.has_value(), dustbin);
        EXPECT_EQ(masses.ghost.has_value(), ghost);
        const double rows = tokens + (ghost ? std::exp(*masses.ghost) : 0.0);
        const double cols = 64 * std::exp(masses.cluster) + (dustbin ? std::exp(*masses.dustbin) : 0.0);
        EXPECT_NEAR(rows, cols, 1e-9 * rows);
      }
    }
  }
}

TEST(Marginals, SaladWithTooFewTokensSaysHowManyItNeeds) {
  EXPECT_NO_THROW(marginals(65, 64, true, false));
  for (const int tokens : {64, 53, 1}) {
    try {
      marginals(tokens, 64, true, false);
      ADD_FAILURE() << tokens << " tokens were accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
      EXPECT_NE(std::string(error.what()).find(std::to_string(tokens)), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("64 clusters"), std::string::npos) << error.what();
      EXPECT_NE(error.hint().find("`rho`"), std::string::npos);
    }
  }
  EXPECT_NO_THROW(marginals(1, 64, true, true));
}

}  // namespace
}  // namespace revisit::aggregate

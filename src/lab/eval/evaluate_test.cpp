// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "revisit/lab/evaluate.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "engine/model/config.h"

namespace revisit {
namespace {

struct Case {
  Dataset dataset;
  std::vector<std::vector<Match>> matches;

  /// One query: its positives and what was found, best first, with falling similarity from `best` on.
  void add(std::vector<int> positives, const std::vector<int>& found, double best) {
    dataset.queries.push_back({"q" + std::to_string(matches.size()), {}, {}, {}});
    dataset.positives.push_back(std::move(positives));
    dataset.labelled = true;
    auto& list = matches.emplace_back();
    for (const int row : found) {
      const float similarity = static_cast<float>(best - 0.01 * static_cast<double>(list.size()));
      list.push_back({row, std::sqrt(2 - 2 * similarity), similarity});
    }
  }
};

TEST(Evaluate, CountsAQueryOnceAndOneWithoutPositivesAsAMiss) {
  Case c;
  c.add({3, 7}, {7, 3, 1}, 0.9);  // right at once
  c.add({5}, {1, 5, 2}, 0.8);     // second
  c.add({}, {1, 2, 3}, 0.7);      // cannot be answered
  c.add({9}, {1, 2, 3}, 0.6);     // not found
  const auto result = evaluate(c.dataset, c.matches, {3, 1, 2, 1});
  ASSERT_EQ(result.recall.size(), 3U);
  EXPECT_EQ(result.recall[0].k, 1);
  EXPECT_DOUBLE_EQ(result.recall[0].percent, 25);
  EXPECT_DOUBLE_EQ(result.recall[1].percent, 50);
  EXPECT_DOUBLE_EQ(result.recall[2].percent, 50);
  EXPECT_EQ(result.num_queries, 4);
  EXPECT_EQ(result.num_without_positive, 1);
}

TEST(Evaluate, ASkippedQueryIsAMissAndIsNeverAccepted) {
  Case c;
  c.add({0}, {0}, 0.9);
  c.add({0}, {}, 0.9);
  const auto result = evaluate(c.dataset, c.matches, {1});
  EXPECT_DOUBLE_EQ(result.recall[0].percent, 50);
  EXPECT_EQ(result.threshold.size(), 1U);
  EXPECT_DOUBLE_EQ(result.recall_at_full_precision, 50);
}

TEST(Evaluate, IntervalsHoldTheValueRepeatExactlyAndNarrowWithMoreQueries) {
  Case small, large;
  for (int i = 0; i < 1600; ++i) {
    if (i < 100) small.add({1}, {i % 10 < 7 ? 1 : 2}, 0.5);
    large.add({1}, {i % 10 < 7 ? 1 : 2}, 0.5);
  }
  const auto a = evaluate(small.dataset, small.matches, {1}).recall[0];
  const auto again = evaluate(small.dataset, small.matches, {1}).recall[0];
  const auto b = evaluate(large.dataset, large.matches, {1}).recall[0];
  EXPECT_EQ(a.low95, again.low95);
  EXPECT_EQ(a.high95, again.high95);
  // Binomial: 1.96 sqrt(0.7 0.3 / n) is 9.0 points at 100 queries and 2.25 at 1600.
  EXPECT_NEAR(a.low95, 61, 1.5);
  EXPECT_NEAR(a.high95, 79, 1.5);
  EXPECT_NEAR(b.low95, 67.75, 0.6);
  EXPECT_NEAR(b.high95, 72.25, 0.6);
  Case sure;
  for (int i = 0; i < 30; ++i) sure.add({1}, {1}, 0.5);
  // Thirty of thirty is not certainty: Wilson's 30 / (30 + 1.96^2).
  const auto all = evaluate(sure.dataset, sure.matches, {1}).recall[0];
  EXPECT_NEAR(all.low95, 88.65, 0.01);
  EXPECT_EQ(all.high95, 100);
  Case never;
  for (int i = 0; i < 30; ++i) never.add({1}, {2}, 0.5);
  const auto none = evaluate(never.dataset, never.matches, {1}).recall[0];
  EXPECT_EQ(none.low95, 0);
  EXPECT_NEAR(none.high95, 11.35, 0.01);
}

TEST(Evaluate, AveragePrecisionIsTheAreaOfSteps) {
  Case c;
  c.add({1}, {1}, 0.9);
  c.add({1}, {2}, 0.8);
  c.add({1}, {1}, 0.7);
  c.add({}, {1}, 0.6);
  const auto result = evaluate(c.dataset, c.matches, {1});
  // right, wrong, right, wrong of three answerable: (1/3) 1 + (1/3) (2/3)
  EXPECT_NEAR(result.average_precision, 100 * (1.0 / 3 + 2.0 / 9), 1e-9);
  EXPECT_NEAR(result.recall_at_full_precision, 100.0 / 3, 1e-9);
  ASSERT_EQ(result.threshold.size(), 4U);
  EXPECT_NEAR(result.precision[2], 2.0 / 3, 1e-12);
  EXPECT_NEAR(result.recall_curve[3], 2.0 / 3, 1e-12);
}

TEST(Evaluate, EqualSimilaritiesAreOnePointWhateverTheirOrder) {
  Case first, second;
  first.add({1}, {1}, 0.5);
  first.add({1}, {2}, 0.5);
  second.add({1}, {2}, 0.5);
  second.add({1}, {1}, 0.5);
  const auto a = evaluate(first.dataset, first.matches, {1}), b = evaluate(second.dataset, second.matches, {1});
  ASSERT_EQ(a.threshold.size(), 1U);
  EXPECT_DOUBLE_EQ(a.average_precision, 25);
  EXPECT_DOUBLE_EQ(b.average_precision, 25);
  EXPECT_DOUBLE_EQ(a.recall_at_full_precision, 0);
}

TEST(Evaluate, RefusesWhatCannotBeEvaluated) {
  Case c;
  c.add({1}, {1}, 0.5);
  EXPECT_THROW(evaluate(c.dataset, c.matches, {}), Error);
  EXPECT_THROW(evaluate(c.dataset, c.matches, {0}), Error);
  EXPECT_THROW(evaluate(c.dataset, {}, {1}), Error);
  c.dataset.labelled = false;
  EXPECT_THROW(evaluate(c.dataset, c.matches, {1}), Error);
}

TEST(Calibrate, TakesTheLowestSimilarityThatKeepsThePrecision) {
  Evaluation curve;
  curve.threshold = {0.9, 0.8, 0.7, 0.6, 0.5};
  curve.precision = {1, 0.5, 0.667, 0.75, 0.6};
  EXPECT_EQ(calibrate_threshold(curve, 0.99), 0.9);
  EXPECT_EQ(calibrate_threshold(curve, 0.7), 0.6);
  EXPECT_EQ(calibrate_threshold(curve, 0.1), 0.5);
  curve.precision[0] = 0.9;
  EXPECT_FALSE(calibrate_threshold(curve, 0.95));
  EXPECT_FALSE(calibrate_threshold({}, 0.5));
  EXPECT_THROW(calibrate_threshold(curve, 0), Error);
  EXPECT_THROW(calibrate_threshold(curve, 1.5), Error);
}

TEST(Calibrate, TheCopyOfTheModelKnowsItsThresholdAndKeepsItsFingerprint) {
  const auto path =
      std::filesystem::temp_directory_path() / ("revisit_calibrated_" + std::to_string(::getpid()) + ".safetensors");
  const Model model = Model::random("demo");
  save_calibrated(model, path, 0.625, 0.99, completed({.rho = 0.7, .size = Size{224, 196}, .precision = "int8"}));
  const Model copy = Model::load(path);
  const auto info = copy.info();
  std::filesystem::remove(path);
  EXPECT_EQ(info.min_similarity, 0.625);
  EXPECT_EQ(copy.loaded().config.calibration->arithmetic, "int8");
  EXPECT_EQ(info.calibrated_precision, 0.99);
  EXPECT_EQ(info.calibrated_rho, 0.7);
  EXPECT_EQ(info.calibrated_size, (Size{224, 196}));
  EXPECT_EQ(info.fingerprint, model.info().fingerprint);
}

}  // namespace
}  // namespace revisit

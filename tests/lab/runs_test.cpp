// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A sweep and a comparison through librevisit_lab alone, as another program would run them: the built-in model on a tiny town.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "revisit/embedded.h"
#include "revisit/lab/compare.h"
#include "revisit/lab/report.h"
#include "revisit/lab/sweep.h"
#include "revisit/lab/synth.h"
#include "test_files.h"

namespace revisit {
namespace {

constexpr int kPlaces = 4;
constexpr int kReferences = 2 * kPlaces;
constexpr const char* kBroken = "broken.jpg";

class LabRuns : public ::testing::Test {
 protected:
  LabRuns() { write_town(town_.path(), {.places = kPlaces, .size = Size{96, 128}}); }

  FolderPair folders() const { return {town_ / "queries", town_ / "database", town_ / "gt.csv", std::nullopt, 25, false}; }
  Dataset dataset() const { return load_folder_pair(folders()); }

  /// Counts what it is told; the run ends once `photos` were described.
  RunWatch watch(int photos = std::numeric_limits<int>::max()) {
    return {[this](const std::string& what, int done, int total) {
              EXPECT_EQ(total, what == "queries" ? kPlaces : kReferences) << what;
              described_ += done > 0 ? 1 : 0;
            },
            [this](const std::string& sentence) { notices_.push_back(sentence); },
            [this](const DescribedPhotos& photos_done) { sides_ += static_cast<int>(photos_done.rows.size()) / photos_done.dim; },
            [this, photos] { return described_ >= photos; }};
  }
  SweepOptions sweep_options() {
    SweepOptions options;
    options.rho = {1, 0.7, 0.4};
    options.spec.size = Size{100, 112};
    options.recall_values = {1, 3};
    options.threads = 1;
    options.watch = watch();
    return options;
  }
  CompareConfig compare_config() const {
    CompareConfig config;
    config.recall_values = {2, 1, 2};
    config.datasets = {{"town", folders(), "", {}}};
    DescriptorSpec spec;
    spec.size = Size{112, 112};
    config.rows = {{"weitop", {kEmbeddedModel}, {1, 0.5}, 1, spec, {}}};
    spec.prune = "random";
    config.rows.push_back({"random", {kEmbeddedModel}, {0.5}, 2, spec, {}});
    config.differences = {{"weitop", "random", 0.5, 0.5}};
    return config;
  }

  testing::TemporaryFolder town_;
  int described_ = 0;
  int sides_ = 0;
  std::vector<std::string> notices_;
};

TEST_F(LabRuns, ASweepMeasuresEveryRhoAsIfItWereAlone) {
  const Dataset town = dataset();
  SweepOptions options = sweep_options();
  std::vector<double> told;
  options.point = [&](const SweepPoint& point) { told.push_back(point.rho); };
  const Sweep sweep = run_sweep({{"tiny", embedded_model()}}, town, options);
  EXPECT_FALSE(sweep.stopped);
  EXPECT_EQ(told, options.rho);
  EXPECT_EQ(described_, kPlaces + kReferences) << "each photo is decoded once for all rhos";
  EXPECT_EQ(sides_, kPlaces + kReferences);
  ASSERT_EQ(notices_.size(), 1U) << "said once, not for every rho";
  EXPECT_NE(notices_.front().find("rounded to 98x112"), std::string::npos) << notices_.front();
  ASSERT_EQ(sweep.points.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const SweepPoint& point = sweep.points[i];
    DescriptorSpec spec = options.spec;
    spec.rho = options.rho[i];
    Extractor extractor(embedded_model(), spec, 1);
    const auto matches = match_all(describe_photos(extractor, town.queries), describe_photos(extractor, town.references), 3);
    const Evaluation alone = evaluate(town, matches, {1, 3});
    EXPECT_EQ(point.model, "tiny");
    EXPECT_EQ(point.reference_rho, options.rho[i]);
    EXPECT_EQ(point.dim, extractor.descriptor_dim());
    EXPECT_EQ(point.evaluation.threshold, alone.threshold) << "the very same similarities";
    EXPECT_EQ(point.evaluation.recall[0].percent, alone.recall[0].percent);
    EXPECT_GT(point.ms_per_image, 0);
    EXPECT_GE(point.end_to_end_ms, point.ms_low);
  }
  EXPECT_GE(sweep.points[0].evaluation.recall[1].percent, 75) << "the built-in model knows its town";
  EXPECT_EQ(sweep.run.model, "tiny");
  EXPECT_EQ(sweep.run.spec.rho, 1);
  EXPECT_EQ(sweep.run.threads, 1);
  write_sweep(town_ / "curve", sweep);
  EXPECT_EQ(std::get<Sweep>(read_run(town_ / "curve/sweep.json")).points.size(), 3U);
}

TEST_F(LabRuns, ASweepHoldsNoMoreReferencesThanItMay) {
  const Dataset town = dataset();
  SweepOptions options = sweep_options();
  const Sweep roomy = run_sweep({{"tiny", embedded_model()}}, town, options);
  described_ = 0;
  options.reference_bytes = 0;
  const Sweep tight = run_sweep({{"tiny", embedded_model()}}, town, options);
  EXPECT_EQ(described_, kPlaces + 3 * kReferences) << "one rho after another";
  ASSERT_EQ(tight.points.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(tight.points[i].rho, options.rho[i]);
    EXPECT_EQ(tight.points[i].evaluation.threshold, roomy.points[i].evaluation.threshold);
  }
}

TEST_F(LabRuns, ASweepTriesEveryPrecisionWithEveryRho) {
  const Dataset town = dataset();
  SweepOptions options = sweep_options();
  options.rho = {1, 0.5};
  options.reference_rho = 1;
  options.precision = {"f32", "bf16"};
  const Sweep sweep = run_sweep({{"tiny", embedded_model()}}, town, options);
  EXPECT_EQ(described_, kPlaces + kReferences) << "each photo is decoded once for all of them";
  ASSERT_EQ(sweep.points.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(sweep.points[i].precision, options.precision[i / 2]);
    EXPECT_EQ(sweep.points[i].rho, options.rho[i % 2]);
  }
  EXPECT_NE(sweep.points[0].evaluation.threshold, sweep.points[2].evaluation.threshold) << "other arithmetic, other digits";
  options.precision = {"bf16"};
  const Sweep alone = run_sweep({{"tiny", embedded_model()}}, town, options);
  EXPECT_EQ(alone.points[1].evaluation.threshold, sweep.points[3].evaluation.threshold) << "references are of the same precision";

  Sweep asked = sweep;
  asked.budget_ms = 1e6;
  write_sweep(town_ / "curve", asked);
  const auto back = std::get<Sweep>(read_run(town_ / "curve/sweep.json"));
  EXPECT_EQ(back.budget_ms, 1e6);
  EXPECT_EQ(back.points[2].precision, "bf16");
  EXPECT_EQ(sweep_json(back), sweep_json(asked));
}

TEST_F(LabRuns, ASweepMayLeaveReferencesWhole) {
  SweepOptions options = sweep_options();
  options.reference_rho = 1;
  options.dim = 3;
  const Sweep sweep = run_sweep({{"tiny", embedded_model()}}, dataset(), options);
  for (const auto& point : sweep.points) {
    EXPECT_EQ(point.reference_rho, 1);
    EXPECT_EQ(point.dim, 3);
    EXPECT_NE(point.evaluation.protocol.find("whitened to 3 values"), std::string::npos) << point.evaluation.protocol;
  }
  EXPECT_EQ(sweep.run.reference_spec.rho, 1);
}

TEST_F(LabRuns, AStoppedSweepHasTheModelsThatAreDone) {
  SweepOptions options = sweep_options();
  options.watch = watch(kPlaces + kReferences + 1);  // the first query of the second model
  const std::vector<SweepModel> models{{"first", embedded_model()}, {"second", embedded_model()}};
  const Sweep sweep = run_sweep(models, dataset(), options);
  EXPECT_TRUE(sweep.stopped);
  ASSERT_EQ(sweep.points.size(), 3U);
  EXPECT_TRUE(std::ranges::all_of(sweep.points, [](const SweepPoint& point) { return point.model == "first"; }));
  options.watch = watch(0);
  const Sweep nothing = run_sweep(models, dataset(), options);
  EXPECT_TRUE(nothing.stopped);
  EXPECT_TRUE(nothing.points.empty());
}

TEST_F(LabRuns, WhatASweepCannotDoIsSaidBeforeTheFirstPhoto) {
  const auto refused = [&](const std::vector<SweepModel>& models, const SweepOptions& options, const std::string& sentence) {
    testing::expect_error([&] { run_sweep(models, dataset(), options); }, ErrorCode::kUsage, sentence);
  };
  const std::vector<SweepModel> models{{"tiny", embedded_model()}};
  SweepOptions options = sweep_options();
  refused({}, options, "at least one model");
  options.rho = {};
  refused(models, options, "`rho` is empty");
  options.rho = {1, 0.5};
  options.spec.prune = "none";
  refused(models, options, "model 'tiny': rho = 0.5 needs a pruner");
  options.spec.prune = std::nullopt;
  options.recall_values = {};
  refused(models, options, "`recall_values` is empty");
  Dataset unlabelled = dataset();
  unlabelled.labelled = false;
  testing::expect_error([&] { run_sweep(models, unlabelled, sweep_options()); }, ErrorCode::kUsage, "has no ground truth");
  EXPECT_EQ(described_, 0);
}

TEST_F(LabRuns, PhotosThatCannotBeUsedAreToldAndKept) {
  town_.write(std::string("database/") + kBroken, "no picture");
  const Dataset town = dataset();
  SweepOptions options = sweep_options();
  options.watch = {};
  const Sweep sweep = run_sweep({{"tiny", embedded_model()}}, town, options);
  ASSERT_EQ(sweep.skipped.size(), 1U) << "once for all rhos";
  EXPECT_NE(sweep.skipped.front().path.find(kBroken), std::string::npos);
  Dataset none = town;
  for (auto& photo : none.queries) photo.path = town_ / kBroken;
  testing::expect_error(
      [&] {
        run_sweep({{"tiny", embedded_model()}}, none, options);
      },
      ErrorCode::kNotFound, "none of the 4 queries could be used");
}

TEST_F(LabRuns, AComparisonKeepsItsCellsAndGoesOn) {
  CompareOptions options;
  options.cells = town_ / "cells";
  options.threads = 1;
  options.watch = watch(kPlaces + kReferences + 1);
  std::vector<std::string> lines;
  options.line = [&](const CompareLine& line) { lines.push_back(line.name); };
  const Comparison stopped = run_compare(compare_config(), options);
  EXPECT_TRUE(stopped.stopped);
  EXPECT_EQ(lines, (std::vector<std::string>{"weitop"}));
  ASSERT_EQ(stopped.lines.size(), 1U);
  EXPECT_EQ(stopped.lines[0].rho, 1);

  described_ = 0;
  options.watch = watch();
  const Comparison whole = run_compare(compare_config(), options);
  EXPECT_FALSE(whole.stopped);
  EXPECT_EQ(described_, 3 * (kPlaces + kReferences)) << "rho 0.5 and two seeds; rho 1 was known";
  ASSERT_EQ(whole.lines.size(), 3U);
  EXPECT_EQ(cost_of(whole.lines[0]).ms_per_image, cost_of(stopped.lines[0]).ms_per_image);
  EXPECT_GT(cost_of(whole.lines[0]).ms_per_image, 0);
  EXPECT_GT(cost_of(whole.lines[0]).gmac, 1.5 * cost_of(whole.lines[1]).gmac) << "half of the patches after the first block";
  EXPECT_EQ(whole.config.recall_values, (std::vector<int>{1, 2}));
  EXPECT_EQ(whole.num_queries, (std::vector<int>{kPlaces}));
  EXPECT_EQ(whole.lines[2].repetitions.size(), 2U);
  EXPECT_GE(mean_recall_of(whole.lines[0], 2).mean, 75);
  EXPECT_NE(comparison_text(whole).find("| weitop, rho 0.5 | random, rho 0.5 |"), std::string::npos);

  described_ = 0;
  options.cells.clear();
  CompareConfig config = compare_config();
  config.rows.pop_back();
  config.differences.clear();
  EXPECT_EQ(run_compare(config, options).lines[1].repetitions[0][0].ranks, whole.lines[1].repetitions[0][0].ranks);
  EXPECT_EQ(described_, 2 * (kPlaces + kReferences)) << "without a folder nothing is known";
}

TEST_F(LabRuns, WhatAComparisonCannotDoIsSaidBeforeTheFirstPhoto) {
  CompareOptions options;
  options.watch = watch();
  const auto refused = [&](const std::function<void(CompareConfig&)>& change, const std::string& sentence) {
    CompareConfig config = compare_config();
    change(config);
    testing::expect_error([&] { run_compare(config, options); }, ErrorCode::kUsage, sentence);
  };
  refused([](CompareConfig& config) { config.recall_values = {}; }, "recall_values is empty");
  refused([](CompareConfig& config) { config.recall_values = {0}; }, "the least is 1");
  refused([](CompareConfig& config) { config.rows[0].rhos = {}; }, "the row 'weitop' has no rho");
  refused([](CompareConfig& config) { config.rows[1].seeds = 0; }, "the row 'random' has 0 seeds");
  refused([](CompareConfig& config) { config.rows[1].spec.prune = "none"; },
          "row 'random', model 'revisit-tiny': rho = 0.5 needs");
  refused([](CompareConfig& config) { config.datasets[0].folders.no_labels = true; }, "data set 'town' has no ground truth");
  CompareConfig unknown = compare_config();
  unknown.rows[0].models = {"nowhere.safetensors"};
  EXPECT_EQ(testing::thrown_by([&] { run_compare(unknown, options); }).code(), ErrorCode::kNotFound);
  options.open_model = [](const std::string& /*name*/) { return embedded_model(); };
  options.watch = watch(0);
  EXPECT_TRUE(run_compare(unknown, options).stopped) << "found now, and stopped before the first photo";
  EXPECT_EQ(described_, 0);
}

}  // namespace
}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "revisit/decision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "index_rows.h"
#include "revisit/error.h"
#include "revisit/recognizer.h"
#include "test_files.h"

namespace revisit {
namespace {

std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::vector<Evidence> random_strangers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> next(0.2, 0.4), ahead(0, 0.2);
  std::vector<Evidence> out;
  for (std::size_t i = 0; i < count; ++i) {
    const double other = next(random);
    out.push_back({other + ahead(random), other});
  }
  return out;
}

DecisionTable table_of(std::size_t count, unsigned seed) {
  const auto strangers = random_strangers(count, seed);
  return make_decision_table(std::span(&strangers, 1));
}

DecisionTable small_table() {
  return {.floor = 0.2, .ceiling = 0.5, .photos = 99, .steps = {{0.5, 0.05}, {0.1, 0.1}, {0.01, 0.3}}};
}

TEST(DecisionScore, IsTheLeadOverTheNextPlaceWithinFloorAndCeiling) {
  const DecisionTable table = small_table();
  EXPECT_NEAR(score({0.6, 0.35}, table), 0.25, 1e-12);
  EXPECT_NEAR(score({0.6, 0.1}, table), 0.4, 1e-12) << "below the floor";
  EXPECT_NEAR(score({0.9, 0.85}, table), 0.4, 1e-12) << "two days of one place";
  EXPECT_NEAR(score({0.6, std::nullopt}, table), 0.1, 1e-12) << "nothing else was seen";
  EXPECT_EQ(false_rate({0.61, 0.56}, table), 0.1);
  EXPECT_EQ(false_rate({0.5, 0.2}, table), 0.01);
  EXPECT_EQ(false_rate({0.5, 0.46}, table), std::nullopt);
}

TEST(NextPlace, IsToldByPositionThenTimeThenOrder) {
  const auto at = [](int row, std::optional<double> east, std::optional<double> time) {
    Whereabouts out{row, std::nullopt, time};
    if (east) out.position = Position{*east, 0, {}, {}};
    return out;
  };
  EXPECT_TRUE(may_be_same_place(at(0, 0, 0), at(500, 49, 9000)));
  EXPECT_FALSE(may_be_same_place(at(0, 0, 0), at(1, 51, 1)));
  EXPECT_TRUE(may_be_same_place(at(0, {}, 0), at(500, 3, 19)));
  EXPECT_FALSE(may_be_same_place(at(0, {}, 0), at(500, {}, 21)));
  EXPECT_TRUE(may_be_same_place(at(0, {}, 0), at(10, {}, 9000)));
  EXPECT_FALSE(may_be_same_place(at(0, {}, {}), at(11, {}, {})));

  const auto by_order = [](int row) { return Whereabouts{row, {}, {}}; };
  std::vector<Match> matches{{50, 0, 0.9F}, {51, 0, 0.8F}, {45, 0, 0.7F}};
  EXPECT_EQ(evidence_of(matches, by_order).next, std::nullopt);
  for (int i = 0; i < 9; ++i) matches.push_back({90, 0, 0.4F - 0.001F * static_cast<float>(i)});
  EXPECT_EQ(evidence_of(matches, by_order).next, std::nullopt) << "nine photos of other places are too few";
  matches.push_back({91, 0, 0.3F});
  EXPECT_NEAR(*evidence_of(matches, by_order).next, 0.4, 1e-6);
  std::vector<Match> crowd;
  for (int i = 0; i < kEvidenceMatches; ++i) crowd.push_back({50, 0, 0.9F - 0.001F * static_cast<float>(i)});
  EXPECT_NEAR(*evidence_of(crowd, by_order).next, 0.801, 1e-6) << "what was not seen is at most as alike as the last";
}

TEST(DecisionTable, KeepsItsRatesForStrangersItHasNotSeen) {
  const auto sources = std::vector{random_strangers(4000, 1), random_strangers(8000, 2)};
  const DecisionTable table = make_decision_table(sources);
  EXPECT_EQ(table.photos, 12000);
  EXPECT_EQ(table.steps.back().rate, 0.001) << "4,000 photos are enough for the least rate";
  const auto fresh = random_strangers(200'000, 3);
  for (const RateStep& step : table.steps) {
    const auto accepted = std::ranges::count_if(fresh, [&](const Evidence& one) { return score(one, table) >= step.score; });
    const double share = static_cast<double>(accepted) / static_cast<double>(fresh.size());
    EXPECT_LE(share, kAnsweredShare * step.rate * 1.3 + 2e-4) << step.rate;
    if (step.rate >= 0.01) {
      EXPECT_GT(share, 0) << step.rate;
    }
  }
}

TEST(DecisionTable, LeavesOutRatesThatTakeMorePhotos) {
  EXPECT_EQ(table_of(100, 1).steps.back().rate, 0.04) << "a quarter of 0.04 is one in a hundred";
  EXPECT_EQ(table_of(399, 1).steps.back().rate, 0.01);
  EXPECT_EQ(table_of(398, 1).steps.back().rate, 0.015);
  EXPECT_TRUE(table_of(5, 1).steps.empty());
  EXPECT_THROW(make_decision_table({}), Error);
}

TEST(DecisionTable, WhatWasNotSeenCountsAsInTheMedianSourceOrAsTheLastMatch) {
  std::vector<std::vector<Evidence>> sources;
  for (const double similar : {0.9, 0.3, 0.5}) sources.push_back(std::vector<Evidence>(40, {similar, similar - 0.01}));
  const DecisionTable table = make_decision_table(sources);
  EXPECT_NEAR(table.unseen, 0.5, 2e-4);
  EXPECT_NEAR(table.ceiling, 0.9, 2e-4);
  EXPECT_NEAR(score({0.8, std::nullopt, 0.1}, table), 0.8 - table.unseen, 1e-9);
  EXPECT_NEAR(score({0.8, std::nullopt, 0.7}, table), 0.1, 1e-9) << "where all are alike, being alike says little";
  EXPECT_EQ(decision_table_from("1 photos=9 floor=0 ceiling=0.7 rates=0.1:0.2", "x").unseen, 0.7);
}

TEST(DecisionTable, IsOneLineOfText) {
  const DecisionTable table = table_of(500, 4);
  const std::string text = text_of(table);
  EXPECT_EQ(text_of(decision_table_from(text, "here")), text);
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    try {
      (void)decision_table_from(text.substr(0, cut), "here");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadFile) << cut;
    }
  }
  const auto refused = [](const std::string& bad) { return message_of([&] { (void)decision_table_from(bad, "'x'"); }); };
  EXPECT_EQ(refused("2 photos=1"), "the calibration of 'x' has version '2', this program reads 1");
  EXPECT_EQ(refused("1 photos=0 floor=0 ceiling=1 rates="),
            "the calibration of 'x' has '0' as its photos, the limits are 1 and 1e+09");
  EXPECT_EQ(refused("1 photos=9 floor=0 rates="), "the calibration of 'x' has no 'ceiling' as its word 4");
  EXPECT_NE(refused("1 photos=9 floor=0 ceiling=1 rates=0.1:0.2,0.5:0.3").find("do not fall"), std::string::npos);
  EXPECT_NE(refused("1 photos=9 floor=0 ceiling=1 rates=nan:0.2").find("'nan' as its rate"), std::string::npos);
  EXPECT_NE(refused("1 photos=9 floor=0 ceiling=1 rates=0.1").find("'' as its score"), std::string::npos);
}

TEST(Decide, SaysSureLikelyOrNoMatchAndWhy) {
  DecisionRule rule{.threshold = {}, .table = small_table(), .origin = "of a test"};
  const Verdicts sure = decide({0.7, 0.3}, rule);
  EXPECT_EQ(sure.verdict, Verdict::kSure);
  EXPECT_EQ(sure.false_rate, 0.01);
  EXPECT_EQ(sure.reason, "sure: 0.4000 more alike than other places, false rate 0.01 (of a test)");
  EXPECT_EQ(decide({0.7, 0.55}, rule).verdict, Verdict::kLikely);
  const Verdicts no = decide({0.36, 0.3}, rule);
  EXPECT_EQ(no.verdict, Verdict::kNoMatch);
  EXPECT_EQ(no.false_rate, 0.5);
  EXPECT_EQ(no.reason, "no match: 0.0600 more alike than other places, a false rate of 0.1 takes 0.1000 (of a test)");
  rule.max_false_rate = 0.5;
  EXPECT_EQ(decide({0.36, 0.3}, rule).verdict, Verdict::kLikely);
  rule.max_false_rate = 0.001;
  EXPECT_EQ(decide({0.7, 0.1}, rule).reason,
            "no match: 0.5000 more alike than other places, a false rate of 0.001 takes more photos to calibrate on (of a test)");
  rule.max_false_rate = 0.1;
  rule.threshold.similarity = 0.8;
  EXPECT_EQ(decide({0.7, 0.3}, rule).verdict, Verdict::kNoMatch) << "both have to be reached";
}

TEST(Caution, IsToldWhereFewPhotosHaveAnAnswer) {
  const DecisionRule rule{.threshold = {}, .table = small_table()};
  EXPECT_EQ(caution(rule, 170, 0), "");
  EXPECT_EQ(caution(rule, 100, 25), "");
  EXPECT_NE(caution(rule, 100, 24).find("up to 2.5 of these answers"), std::string::npos);
  EXPECT_EQ(caution({}, 100, 1), "") << "without rates there is nothing to say";
}

TEST(DecisionRule, PrefersWhatWasAskedForThenTheCollection) {
  ModelInfo model;
  model.min_similarity = 0.3;
  model.calibrated_precision = 0.9;
  const DecisionTable own = small_table();
  EXPECT_EQ(decision_rule(model, {}, {}).threshold.origin, "calibrated for precision 0.9");
  EXPECT_NE(
      message_of([&] { (void)decision_rule(model, {}, {.max_false_rate = 0.1}); }).find("neither the collection nor the model"),
      std::string::npos);
  EXPECT_EQ(message_of([&] { (void)decision_rule(model, {}, {.max_false_rate = 0.7}); }),
            "`max_false_rate` is 0.7, but must be 0.001 to 0.5");
  const DecisionRule rule = decision_rule(model, {}, {}, own);
  ASSERT_TRUE(rule.table);
  EXPECT_EQ(rule.max_false_rate, kUsualFalseRate);
  EXPECT_FALSE(rule.threshold.similarity) << "rates come before the model's similarity";
  model.decision = text_of(table_of(50, 1));
  EXPECT_EQ(decision_rule(model, {}, {}).table->photos, 50);
  EXPECT_EQ(decision_rule(model, {}, {}, own).table->photos, 99);
  EXPECT_FALSE(decision_rule(model, {}, {.min_similarity = 0.4}).table) << "a similarity alone was asked for";
  const DecisionRule both = decision_rule(model, {}, {.min_similarity = 0.4, .max_false_rate = 0.2});
  EXPECT_TRUE(both.table && both.threshold.similarity == 0.4);
  EXPECT_FALSE(decision_rule(model, {}, {.whitened = true}).table);
  EXPECT_NE(message_of([&] { (void)decision_rule(model, {}, {.max_false_rate = 0.1, .whitened = true}); }).find("whitened"),
            std::string::npos);
  const DecisionTable coarse{.photos = 9, .steps = {{0.5, 0.1}, {0.1, 0.2}}};
  EXPECT_EQ(decision_rule(model, {}, {.max_false_rate = 0.1}, coarse).threshold.notice, "");
  EXPECT_EQ(decision_rule(model, {}, {.max_false_rate = 0.05}, coarse).threshold.notice,
            "no photo gets an answer: a false rate of 0.05 takes more photos to calibrate on (calibrated on 9 photos of the index)");
}

class CalibrateIndex : public ::testing::Test {
 protected:
  static constexpr int kDim = 16;
  void fill(int count, bool placed, bool timed) {
    IndexWriter writer = IndexWriter::open(folder_.path() / "db", testing::settings_of(kDim));
    for (int i = 0; i < count; ++i) {
      IndexEntry entry = testing::row_entry(i);
      entry.time_s = timed ? std::optional<double>(10.0 * i) : std::nullopt;
      if (placed) entry.position = Position{200.0 * (i / 2), 0, {}, {}};  // two photos of each place
      writer.add(entry, testing::row_content(placed ? i / 2 : i, kDim));
    }
    writer.commit();
  }
  Index index() const { return Index::open(folder_.path() / "db"); }
  const testing::TemporaryFolder folder_;
};

TEST_F(CalibrateIndex, AsksEveryPhotoAboutOtherPlacesOnly) {
  fill(120, true, true);
  const IndexCalibration by_place = calibrate_index(index());
  EXPECT_EQ(by_place.by, "position");
  EXPECT_EQ(by_place.strangers.size(), 120U);
  for (const Evidence& one : by_place.strangers) EXPECT_LT(one.similarity, 0.99) << "the other photo of a place is its twin";
  EXPECT_EQ(calibrate_index(index(), {.photos = 1}).by, "position") << "which says more than the order";
}

TEST_F(CalibrateIndex, FallsBackToTimesAndSaysWhatIsMissing) {
  fill(60, false, true);
  EXPECT_EQ(calibrate_index(index()).by, "time");
  EXPECT_EQ(message_of([&] { (void)calibrate_index(index(), {.seconds = 1e6}); }),
            "calibrating takes photos that show other places, but no two of the 60 photos are far enough apart");
  EXPECT_EQ(message_of([&] { (void)calibrate_index(index(), {.progress = [](int, int) { return false; }}); }),
            "stopped after 0 of 60 photos");
}

TEST_F(CalibrateIndex, GoesByOrderWhenToldTo) {
  fill(60, false, false);
  EXPECT_EQ(calibrate_index(index(), {.photos = 5}).by, "order");
}

TEST_F(CalibrateIndex, NeedsPhotosEnoughForTheUsualRate) {
  fill(38, false, true);
  EXPECT_EQ(message_of([&] { (void)calibrate_index(index()); }),
            "a false rate of 0.1 takes 39 photos that are known to show other places, but there are 38");
}

TEST_F(CalibrateIndex, SaysThatPositionsAndTimesAreMissing) {
  fill(60, false, false);
  EXPECT_EQ(message_of([&] { (void)calibrate_index(index()); }),
            "calibrating takes photos that are known to show other places, but only 0 of the 60 have a position and 0 a time");
}

TEST_F(CalibrateIndex, IsKeptInTheFolderAndRefusedWhenBroken) {
  fill(60, false, true);
  const auto db = folder_.path() / "db";
  EXPECT_FALSE(load_decision_table(db));
  const DecisionTable table = calibrate_index(index()).table;
  save_decision_table(db, table);
  EXPECT_EQ(text_of(load_decision_table(db).value()), text_of(table));
  EXPECT_TRUE(verify_index(db).empty());
  std::ofstream(db / "calibration.txt") << "1 photos=x";
  EXPECT_THROW(load_decision_table(db), Error);
}

TEST(RecognizerRates, AnswersCarryAVerdictAndItsRate) {
  const testing::TemporaryFolder folder;
  const auto db = (folder.path() / "db").string();
  const Model model = Model::random(kDemoModel);
  const RecognizerOptions options{.spec = {.size = Size{28, 28}}, .threads = 1};
  const int dim = [&] {
    Recognizer places = Recognizer::open(db, model, options);
    for (int i = 0; i < 100; ++i) {
      places.add_descriptor(testing::row_content(i, places.descriptor_dim()), {.position = Position{200.0 * i, 0, {}, {}}});
    }
    places.commit();
    EXPECT_THROW((void)places.ask_descriptors(testing::row_content(1, places.descriptor_dim()), {.max_false_rate = 0.1}), Error)
        << "not calibrated";
    return places.descriptor_dim();
  }();
  save_decision_table(db, calibrate_index(Index::open(db)).table);
  const Recognizer places = Recognizer::open(db, model, options);
  const Answer back = places.ask_descriptors(testing::row_content(7, dim), {.top_k = 2}).front();
  EXPECT_TRUE(back.recognised);
  EXPECT_EQ(back.verdict, Verdict::kLikely) << "100 photos cannot tell 0.01: " << back.reason;
  EXPECT_EQ(back.false_rate, 0.04);
  EXPECT_EQ(back.matches.size(), 2U);
  const Answer stranger = places.ask_descriptors(testing::row_content(777, dim)).front();
  EXPECT_FALSE(stranger.recognised) << stranger.reason;
  EXPECT_EQ(stranger.verdict, Verdict::kNoMatch);
  EXPECT_FALSE(places.ask_descriptors(testing::row_content(7, dim), {.max_false_rate = 0.01}).front().recognised);
}

}  // namespace
}  // namespace revisit

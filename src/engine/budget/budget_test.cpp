// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "revisit/budget.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/limits.h"
#include "revisit/error.h"
#include "test_files.h"

namespace revisit {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::expect_error;
using testing::TemporaryFolder;

std::int64_t now_s() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Calibration straight(std::int64_t measured_s = now_s()) {
  return {"model a", measured_s, {{1, 96, 100}, {0.6, 58, 60}, {0.2, 19, 20}}};
}

TEST(RhoWithin, IsTheLargestWhoseThirdQuartileFits) {
  const Calibration calibration = straight();
  EXPECT_EQ(rho_within(calibration, 1000), 1);
  EXPECT_EQ(rho_within(calibration, 100), 1);
  EXPECT_NEAR(rho_within(calibration, 99.9), 0.99, 1e-12) << "down to hundredths";
  EXPECT_NEAR(rho_within(calibration, 98), 0.98, 1e-12) << "the median would allow 1";
  EXPECT_NEAR(rho_within(calibration, 60), 0.6, 1e-12);
  EXPECT_NEAR(rho_within(calibration, 40), 0.4, 1e-12);
  EXPECT_NEAR(rho_within(calibration, 20), 0.2, 1e-12);
}

TEST(RhoWithin, ASlowerTimeOfALowerRhoCountsForThoseAbove) {
  const Calibration uneven{"", 0, {{1, 90, 100}, {0.7, 40, 41}, {0.5, 60, 61}, {0.2, 20, 21}}};
  EXPECT_NEAR(rho_within(uneven, 41), 0.35, 1e-12) << "not 0.7, which was faster by chance";
  EXPECT_NEAR(rho_within(uneven, 61), 0.7, 1e-12);
}

TEST(RhoWithin, GrowsWithTheBudget) {
  const Calibration uneven{"", 0, {{1, 90, 91}, {0.7, 40, 41}, {0.5, 40, 41}, {0.2, 30, 31}}};
  double before = 0;
  for (double ms = 31; ms < 95; ms += 0.25) {
    const double rho = rho_within(uneven, ms);
    EXPECT_GE(rho, before) << ms;
    before = rho;
  }
  EXPECT_EQ(before, 1);
}

TEST(RhoWithin, RefusesABudgetNothingFitsInto) {
  expect_error([] { rho_within(straight(), 19.5); }, ErrorCode::kUsage,
               "a budget of 19.5 ms is too small: the fastest here takes 20 ms, at rho 0.2");
  for (const double ms : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    expect_error([&] { rho_within(straight(), ms); }, ErrorCode::kUsage, "is not a time");
  }
  expect_error([] { rho_within({}, 10); }, ErrorCode::kUsage, "without a measured time");
}

TEST(CalibrationFile, GivesBackWhatWasSavedUntilItIsAMonthOld) {
  const TemporaryFolder folder;
  const fs::path there = folder.path() / "not" / "yet";
  EXPECT_FALSE(load_calibration(there, "model a"));
  save_calibration(there, straight());
  const auto back = load_calibration(there, "model a");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->measured_s, straight().measured_s);
  ASSERT_EQ(back->speeds.size(), 3U);
  EXPECT_EQ(back->speeds[1].rho, 0.6);
  EXPECT_EQ(back->speeds[1].median_ms, 58);
  EXPECT_EQ(back->speeds[1].upper_ms, 60);
  EXPECT_FALSE(load_calibration(there, "model b"));
  constexpr std::int64_t kDay = 86'400;
  for (const auto& [age, fresh] :
       std::vector<std::pair<std::int64_t, bool>>{{30 * kDay - 60, true}, {30 * kDay + 60, false}, {-kDay, false}}) {
    save_calibration(there, straight(now_s() - age));
    EXPECT_EQ(load_calibration(there, "model a").has_value(), fresh) << age;
  }
}

TEST(CalibrationFile, ADamagedOrForeignFileCountsAsNone) {
  const TemporaryFolder folder;
  save_calibration(folder.path(), straight());
  const fs::path file = calibration_file(folder.path(), "model a");
  const auto bytes = read_file(file, 100'000);
  const std::string whole(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto accepted = [&](const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
    return load_calibration(folder.path(), "model a").has_value();
  };
  EXPECT_TRUE(accepted(whole));
  for (std::size_t cut = 0; cut + 2 < whole.size(); ++cut) EXPECT_FALSE(accepted(whole.substr(0, cut))) << cut;
  EXPECT_TRUE(accepted(whole + std::string(limits::kMaxCalibrationBytes - whole.size(), ' ')));
  EXPECT_FALSE(accepted(whole + std::string(limits::kMaxCalibrationBytes - whole.size() + 1, ' ')));
  const Json good = Json::parse(whole);
  const auto patched = [&](const char* patch) {
    Json json = good;
    json.merge_patch(Json::parse(patch));
    return accepted(json.dump());
  };
  EXPECT_TRUE(patched("{}"));
  EXPECT_TRUE(patched(R"({"later":[1]})"));
  for (const auto* patch : {R"({"schema":2})",
                            R"({"schema":null})",
                            R"({"settings":"model b"})",
                            R"({"settings":1})",
                            R"({"measured_s":"1"})",
                            R"({"measured_s":1.5})",
                            R"({"measured_s":null})",
                            R"({"measured_s":-5})",
                            R"({"measured_s":1e300})",
                            R"({"speeds":[]})",
                            R"({"speeds":null})",
                            R"({"speeds":{"rho":1,"median_ms":1,"upper_ms":1}})",
                            R"({"speeds":[1]})",
                            R"({"speeds":[{"rho":1,"median_ms":1}]})",
                            R"({"speeds":[{"rho":0.5,"median_ms":1,"upper_ms":1}]})",
                            R"({"speeds":[{"rho":1,"median_ms":2,"upper_ms":1}]})",
                            R"({"speeds":[{"rho":1,"median_ms":0,"upper_ms":1}]})",
                            R"({"speeds":[{"rho":1,"median_ms":"1","upper_ms":1}]})",
                            R"({"speeds":[{"rho":1,"median_ms":1,"upper_ms":1e10}]})",
                            R"({"speeds":[{"rho":1,"median_ms":1,"upper_ms":1},{"rho":1,"median_ms":1,"upper_ms":1}]})",
                            R"({"speeds":[{"rho":1,"median_ms":1,"upper_ms":1},{"rho":0,"median_ms":1,"upper_ms":1}]})"}) {
    EXPECT_FALSE(patched(patch)) << patch;
  }
  EXPECT_FALSE(accepted("[]"));
  EXPECT_FALSE(accepted(R"([[[[[[[[]]]]]]]])"));
}

TEST(MeasureSpeed, MeasuresEveryRhoOfAModelThatPrunes) {
  const Extractor extractor(Model::random("demo"), {.rho = 0.3}, 1);
  const Calibration measured = measure_speed(extractor, 0.05);
  EXPECT_EQ(measured.settings, speed_settings(extractor));
  EXPECT_LE(std::abs(measured.measured_s - now_s()), 60);
  ASSERT_GE(measured.speeds.size(), 3U);
  EXPECT_EQ(measured.speeds.front().rho, 1);
  EXPECT_EQ(measured.speeds.back().rho, 0.2);
  for (const Speed& one : measured.speeds) {
    EXPECT_GT(one.median_ms, 0);
    EXPECT_GE(one.upper_ms, one.median_ms);
  }
}

TEST(SpeedSettings, NameWhatATimeDependsOnAndNothingElse) {
  const Model model = Model::random("demo");
  const auto settings = [&](const DescriptorSpec& spec, int threads = 1) {
    return speed_settings(Extractor(model, spec, threads));
  };
  const std::string plain = settings({});
  EXPECT_EQ(settings({.rho = 0.5}), plain);
  EXPECT_EQ(settings({.keep_mass = 0.5}), plain);
  EXPECT_EQ(settings({.seed = 4, .orientation = "ignore"}), plain);
  EXPECT_NE(settings({}, 2), plain);
  EXPECT_NE(settings({.size = Size{70, 70}}), plain);
  EXPECT_NE(settings({.precision = "bf16"}), plain);
  EXPECT_NE(settings({.prune = "norm"}), plain);
  EXPECT_NE(speed_settings(Extractor(Model::random("demo", 1), {}, 1)), plain) << "another model";
}

TEST(ChooseRho, UsesWhatWasMeasuredBefore) {
  const TemporaryFolder folder;
  const Extractor extractor(Model::random("demo"), {}, 1);
  Calibration known = straight();
  known.settings = speed_settings(extractor);
  save_calibration(folder.path(), known);
  const BudgetChoice choice = choose_rho(extractor, 40, folder.path());
  EXPECT_NEAR(choice.rho, 0.4, 1e-12);
  EXPECT_EQ(choice.sentence, "budget 40 ms: rho 0.4, f32 (38 ms at the median here)");
  EXPECT_EQ(choice.notice, "");
  EXPECT_EQ(choice.calibration, calibration_file(folder.path(), known.settings));
  EXPECT_EQ(extractor.with_rho(choice.rho).spec().rho, choice.rho);
  // Slower than asked by what is known, which may be out of date: it is measured before it is refused.
  known.speeds = {{1, 1e6, 1e6}};
  save_calibration(folder.path(), known);
  EXPECT_EQ(choose_rho(extractor, 9e5, folder.path()).rho, 1);
  EXPECT_LT(load_calibration(folder.path(), known.settings)->speeds.front().median_ms, 1e5);
}

TEST(ChooseRho, RefusesAMassAndSaysWhenNothingCanBeKept) {
  const Model model = Model::random("demo");
  expect_error([&] { choose_rho(Extractor(model, {.keep_mass = 0.9}, 1), 40); }, ErrorCode::kUsage,
               "both decide how much is kept");
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "file";
  std::ofstream(file) << "x";
  const BudgetChoice choice = choose_rho(Extractor(model, {.prune = "none"}, 1), 1e6, file / "below");
  EXPECT_EQ(choice.rho, 1) << "a model that does not prune has one rho";
  EXPECT_TRUE(choice.notice.starts_with("the speed of the model is measured each time, because it could not be kept: "))
      << choice.notice;
  EXPECT_TRUE(choice.calibration.empty());
  expect_error([&] { choose_rho(Extractor(model, {.prune = "none"}, 1), 1e-6); }, ErrorCode::kUsage, ", at rho 1");
}

}  // namespace
}  // namespace revisit

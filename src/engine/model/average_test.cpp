// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "engine/model/test_models.h"
#include "revisit/error.h"
#include "revisit/model.h"

namespace revisit::model {
namespace {

class Average : public ::testing::Test {
 protected:
  /// A tiny model of that seed, changed.
  std::filesystem::path file(const std::string& name, std::uint64_t seed, const std::function<void(Config&)>& change = {}) {
    LoadedModel model = *make_random(testing::tiny_config(), seed);
    model.config.provenance = "seed " + std::to_string(seed);
    if (change) change(model.config);
    save_model_file(folder_ / name, model);
    return folder_ / name;
  }
  std::string refusal(const std::vector<std::filesystem::path>& from, ErrorCode code) {
    try {
      average_models(from, folder_ / "mean");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      EXPECT_FALSE(std::filesystem::exists(folder_ / "mean"));
      return error.what();
    }
    return "not refused";
  }
  testing::TempFolder folder_;
};

TEST_F(Average, IsTheMeanOfEveryValueAndKeepsTheSettings) {
  const auto calibrated = [](Config& config) {
    config.own.kappa = 0.25;
    config.calibration = Calibration{0.4, 0.9, 1, {42, 42}, "f32"};
  };
  const std::vector<std::filesystem::path> from{file("a", 1, calibrated), file("b", 2, calibrated), file("c", 3, calibrated)};
  const auto report = average_models(from, folder_ / "mean");
  const auto mean = load_model_file(folder_ / "mean");
  std::vector<std::shared_ptr<const LoadedModel>> models;
  for (const auto& path : from) models.push_back(load_model_file(path));
  for (const auto& [name, tensor] : models[0]->weights.all()) {
    const auto values = to_f32(mean->weights.at(name));
    for (std::size_t i = 0; i < values.size(); ++i) {
      double sum = 0;
      for (const auto& one : models) sum += to_f32(one->weights.at(name))[i];
      ASSERT_EQ(values[i], static_cast<float>(sum / 3)) << name << " " << i;
    }
  }
  EXPECT_EQ(mean->config.own.kappa, 0.25);
  EXPECT_FALSE(mean->config.calibration.has_value()) << "it was of other weights";
  EXPECT_EQ(mean->config.provenance, "seed 1; the mean of 3 such models");
  EXPECT_EQ(mean->config.fingerprint, fingerprint_of(mean->weights));
  EXPECT_EQ(report.info.fingerprint, mean->config.fingerprint);
}

TEST_F(Average, TellsHowAlikeTheModelsAre) {
  const auto a = file("a", 1), b = file("b", 2);
  for (const double alike : average_models({a, a}, folder_ / "same").alike) EXPECT_NEAR(alike, 1, 1e-12);
  EXPECT_EQ(load_model_file(folder_ / "same")->config.fingerprint, load_model_file(a)->config.fingerprint);
  for (const double alike : average_models({a, b}, folder_ / "strange").alike) {
    EXPECT_GT(alike, 0.5);
    EXPECT_LT(alike, 0.9) << "weights of two seeds have little in common";
  }
}

TEST_F(Average, IsReportedOnceItIsWritten) {
  const auto a = file("a", 1), b = file("b", 2), mean = folder_ / "mean";
  const auto report = average_models({a, b}, mean, [&] { return std::filesystem::exists(mean); });
  EXPECT_EQ(report.info.identity, Model::load(mean).info().identity) << "a stop that comes after the file changes nothing";
  const auto other = folder_ / "other";
  EXPECT_THROW(average_models({a, b}, other, [] { return true; }), Error);
  EXPECT_FALSE(std::filesystem::exists(other));
}

TEST_F(Average, HalvesCountAsWhatTheyAre) {
  const auto a = file("a", 1);
  save_model_file(folder_ / "half", with_half_matrices(*load_model_file(a)));
  average_models({a, folder_ / "half"}, folder_ / "mean");
  EXPECT_EQ(load_model_file(folder_ / "mean")->weights.at("aggregator.score.0.weight").dtype, DType::kF32);
}

TEST_F(Average, RefusesModelsThatDifferInMoreThanWeights) {
  const auto a = file("a", 1);
  EXPECT_EQ(refusal({a}, ErrorCode::kUsage), "averaging takes at least two model files, not 1");
  const auto spread = file("spread", 2, [](Config& config) { config.own.spread = 2; });
  EXPECT_EQ(refusal({a, spread}, ErrorCode::kMismatch),
            "'" + spread.string() + "' has pruner.spread '2', but '" + a.string() + "' has nothing");
  const auto licence = file("licence", 2, [](Config& config) { config.licence = "mine alone"; });
  EXPECT_EQ(refusal({a, licence}, ErrorCode::kMismatch), "'" + licence.string() + "' has licence 'mine alone', but '" +
                                                             a.string() + "' has '" + load_model_file(a)->config.licence + "'");
  const auto odd = file("odd", 2, [](Config& config) { config.nonfinite = "aggregator.dust_bin"; });
  EXPECT_EQ(refusal({a, odd}, ErrorCode::kBadModel),
            "'" + odd.string() + "' holds NaN or infinity in tensor 'aggregator.dust_bin', so it cannot be averaged");
}

}  // namespace
}  // namespace revisit::model

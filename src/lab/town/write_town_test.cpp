// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The views of a town and the data set on disk.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "revisit/error.h"
#include "revisit/lab/synth.h"

namespace revisit {
namespace {

namespace fs = std::filesystem;

class Town : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("revisit_town_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static TownOptions small() {
    TownOptions options;
    options.places = 4;
    options.views = 3;
    options.seed = 9;
    options.size = {48, 64};
    return options;
  }

  std::set<std::string> files_in(const std::string& sub) const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_ / sub)) names.insert(entry.path().filename().string());
    return names;
  }

  fs::path folder_;
};

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, by);) parts.push_back(part);
  return parts;
}

TEST_F(Town, QueryAndReferencesShareNoCondition) {
  TownOptions options;
  options.views = 13;
  for (int place = 0; place < 20; ++place) {
    const SceneConditions query = town_view(options, place, 0).conditions;
    for (int view = 1; view < options.views; ++view) {
      const SceneConditions other = town_view(options, place, view).conditions;
      EXPECT_NE(query.season, other.season);
      EXPECT_NE(query.light, other.light);
      EXPECT_NE(query.weather, other.weather);
      EXPECT_NE(query.traffic_seed, other.traffic_seed);
    }
  }
}

TEST_F(Town, PlacesLieAHundredMetresApartAndTheirViewsAFewMetres) {
  TownOptions options;
  options.places = 60;
  for (int a = 0; a < options.places; ++a) {
    const TownView one = town_view(options, a, 0);
    EXPECT_LT(distance_m(one.position, town_view(options, a, 1).position), 10);
    for (int b = a + 1; b < options.places; ++b)
      ASSERT_GT(distance_m(one.position, town_view(options, b, 0).position), 100) << a << " " << b;
  }
}

TEST_F(Town, APlaceDoesNotDependOnHowManyThereAre) {
  TownOptions few, many;
  few.places = 3;
  many.places = 500;
  EXPECT_EQ(town_view(few, 2, 1).file_name, town_view(many, 2, 1).file_name);
}

TEST_F(Town, NamesCarryPositionAndHeading) {
  const TownView view = town_view({}, 3, 1);
  const auto read = position_from_name(view.file_name);
  ASSERT_TRUE(read.has_value());
  EXPECT_NEAR(read->east_m, view.position.east_m, 0.01);
  EXPECT_NEAR(read->north_m, view.position.north_m, 0.01);
  ASSERT_TRUE(read->geographic.has_value());
  EXPECT_NEAR(read->geographic->lat_deg, 47.85, 0.05);
  EXPECT_NEAR(read->geographic->lon_deg, 9.0, 0.05);
  ASSERT_TRUE(view.position.heading_deg.has_value());
  EXPECT_GE(*view.position.heading_deg, 0);
  EXPECT_LT(*view.position.heading_deg, 360);
}

TEST_F(Town, PositionsFollowTheCamera) {
  const TownOptions options;
  for (int place = 0; place < 10; ++place) {
    const TownView a = town_view(options, place, 0), b = town_view(options, place, 1);
    const double facing =
        (*a.position.heading_deg - a.camera.heading_deg) * 3.14159265358979 / 180;  // of the place, clockwise from north
    const double side = b.camera.side_m - a.camera.side_m, ahead = b.camera.forward_m - a.camera.forward_m;
    EXPECT_NEAR(b.position.east_m - a.position.east_m, std::cos(facing) * side + std::sin(facing) * ahead, 1e-4);
    EXPECT_NEAR(b.position.north_m - a.position.north_m, std::cos(facing) * ahead - std::sin(facing) * side, 1e-4);
  }
}

TEST_F(Town, RefusesViewsThatDoNotExist) {
  const TownOptions options;
  EXPECT_THROW(town_view(options, 5, options.views), Error);
  EXPECT_THROW(town_view(options, options.places, 0), Error);
  EXPECT_THROW(town_view(options, -1, 0), Error);
}

TEST_F(Town, WritesEachPictureOnceAndTheTruthAboutThem) {
  const TownOptions options = small();
  int calls = 0, last_total = 0;
  write_town(folder_, options, [&](int, int total) {
    ++calls;
    last_total = total;
    return true;
  });
  EXPECT_EQ(calls, 12);
  EXPECT_EQ(last_total, 12);
  const auto queries = files_in("queries"), database = files_in("database");
  EXPECT_EQ(queries.size(), 4U);
  EXPECT_EQ(database.size(), 8U);

  std::ifstream in(folder_ / "gt.csv");
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "query,best_ref,accepted_refs");
  std::set<std::string> named_queries, named_references;
  while (std::getline(in, line)) {
    const auto fields = split(line, ',');
    ASSERT_EQ(fields.size(), 3U) << line;
    EXPECT_TRUE(named_queries.insert(fields[0]).second);
    const auto accepted = split(fields[2], '|');
    EXPECT_EQ(accepted.size(), 2U);
    EXPECT_NE(std::find(accepted.begin(), accepted.end(), fields[1]), accepted.end());
    const auto at = position_from_name(fields[0]);
    double best_m = 1e9, given_m = 0;
    for (const std::string& name : accepted) {
      EXPECT_TRUE(named_references.insert(name).second);
      const double away_m = distance_m(*at, *position_from_name(name));
      EXPECT_LT(away_m, 25);
      best_m = std::min(best_m, away_m);
      if (name == fields[1]) given_m = away_m;
    }
    EXPECT_NEAR(given_m, best_m, 0.05);
  }
  EXPECT_EQ(named_queries, queries);
  EXPECT_EQ(named_references, database);
  const Image image = load_image(folder_ / "queries" / *queries.begin());
  EXPECT_EQ(image.width, 64);
  EXPECT_EQ(image.height, 48);
}

TEST_F(Town, StopsWhenToldToAndLeavesNoTruth) {
  try {
    write_town(folder_, small(), [](int done, int) { return done < 3; });
    FAIL() << "did not stop";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInterrupted);
  }
  EXPECT_FALSE(fs::exists(folder_ / "gt.csv"));
}

TEST_F(Town, RefusesTownsWithoutPlacesOrReferences) {
  TownOptions options = small();
  options.views = 1;
  EXPECT_THROW(write_town(folder_, options), Error);
  options = small();
  options.places = 0;
  EXPECT_THROW(write_town(folder_, options), Error);
  EXPECT_FALSE(fs::exists(folder_));
}

}  // namespace
}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The grid against comparing all pairs, on planes and on the globe, and how long a large set takes.
#include "lab/dataset/near.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <random>

#include "test_files.h"

namespace revisit::dataset {
namespace {

Photo at(double east, double north) {
  Photo out;
  out.position = Position{east, north, {}, {}};
  return out;
}

Photo on_globe(double lat, double lon) {
  Photo out;
  out.position = position_from({lat, lon});
  return out;
}

using Lists = std::vector<std::vector<int>>;

Lists all_pairs(const std::vector<Photo>& queries, const std::vector<Photo>& references, double threshold) {
  Lists out;
  for (const auto& query : queries) {
    auto& list = out.emplace_back();
    for (std::size_t r = 0; r < references.size(); ++r) {
      if (distance_m(*query.position, *references[r].position) <= threshold) list.push_back(static_cast<int>(r));
    }
  }
  return out;
}

TEST(Near, TakesTheThresholdItselfAsNear) {
  const std::vector<Photo> queries = {at(0, 0)}, references = {at(25, 0), at(25.001, 0), at(-15, 20), at(0, 0)};
  EXPECT_EQ(positives_within(queries, references, 25, Metric::kPlane), (Lists{{0, 2, 3}}));
  EXPECT_EQ(positives_within(queries, references, 0, Metric::kPlane), (Lists{{3}}));
}

TEST(Near, LeavesPhotosWithoutAPlaceAlone) {
  const std::vector<Photo> queries = {Photo(), at(0, 0)}, references = {Photo(), at(1, 1)};
  EXPECT_EQ(positives_within(queries, references, 25, Metric::kPlane), (Lists{{}, {1}}));
}

TEST(Near, AgreesWithAllPairsOnThePlane) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> metres(-500, 500);
  std::vector<Photo> queries, references;
  for (int i = 0; i < 300; ++i) queries.push_back(at(metres(random), metres(random)));
  for (int i = 0; i < 700; ++i) references.push_back(at(metres(random), metres(random)));
  for (const double threshold : {0.5, 25.0, 90.0, 3000.0}) {
    EXPECT_EQ(positives_within(queries, references, threshold, Metric::kPlane), all_pairs(queries, references, threshold))
        << threshold;
  }
}

TEST(Near, AgreesWithAllPairsAcrossZonesTheDateLineAndThePole) {
  for (const auto& [lat, lon, spread] : {std::tuple{48.0, 6.0, 0.004}, std::tuple{-17.0, 180.0, 0.004},
                                         std::tuple{89.99, 0.0, 0.01}, std::tuple{0.0, 0.0, 0.004}}) {
    std::mt19937 random(4);
    std::uniform_real_distribution<double> step(-spread, spread), any(-180, 180);
    std::vector<Photo> queries, references;
    for (int i = 0; i < 400; ++i) {
      const double lon_deg = lat > 89 ? any(random) : std::remainder(lon + step(random), 360.0);
      (i % 2 == 0 ? queries : references).push_back(on_globe(std::min(90.0, lat + step(random)), lon_deg));
    }
    for (const double threshold : {25.0, 200.0}) {
      const auto expected = all_pairs(queries, references, threshold);
      EXPECT_EQ(positives_within(queries, references, threshold, Metric::kEllipsoid), expected) << lat << " " << threshold;
      std::size_t found = 0;
      for (const auto& list : expected) found += list.size();
      EXPECT_GT(found, 0U);
    }
  }
}

TEST(Near, WorksForWaysAroundTheGlobe) {
  const std::vector<Photo> queries = {on_globe(0, 0)}, references = {on_globe(0, 90), on_globe(0, 179), on_globe(10, 0)};
  EXPECT_EQ(positives_within(queries, references, 1.1e7, Metric::kEllipsoid), (Lists{{0, 2}}));
}

TEST(Near, TakesNoTimeForTenThousandByTenThousand) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> metres(0, 10'000);
  std::vector<Photo> queries, references;
  for (int i = 0; i < 10'000; ++i) {
    queries.push_back(at(metres(random), metres(random)));
    references.push_back(at(metres(random), metres(random)));
  }
  const std::clock_t start = std::clock();
  positives_within(queries, references, 25, Metric::kPlane);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 1.0) << "processor time";
}

TEST(Near, RefusesThresholdsThatAreNoDistance) {
  for (const double bad : {-1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    testing::expect_error([&] { positives_within({}, {}, bad, Metric::kPlane); }, ErrorCode::kUsage,
                          "but must be 0 or more and finite");
  }
}

TEST(Near, LimitsThePairs) {
  const std::vector<Photo> many(5000, at(0, 0));
  testing::expect_error([&] { positives_within(many, many, 25, Metric::kPlane); }, ErrorCode::kLimit, "more than 20000000 pairs");
}

}  // namespace
}  // namespace revisit::dataset

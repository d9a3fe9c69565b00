// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/feed/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "training/feed/test_places.h"

namespace revisit::feed {
namespace {

using testing::expect_error;
using testing::MadeUpPlaces;

/// How often each place is shown in an epoch.
std::map<int, int> shown_in(const SourcePlan& plan, std::int64_t epoch) {
  std::map<int, int> out;
  for (std::int64_t i = 0; i < plan.batches_per_epoch(); ++i) {
    for (const int place : plan.places_of(epoch * plan.batches_per_epoch() + i)) ++out[place];
  }
  return out;
}

TEST(Quotas, FollowTheWeights) {
  EXPECT_EQ(quotas_of({1}, 60), (std::vector<int>{60}));
  EXPECT_EQ(quotas_of({0.5, 0.3, 0.2}, 20), (std::vector<int>{10, 6, 4}));
  EXPECT_EQ(quotas_of({3, 1}, 10), (std::vector<int>{8, 2}));
  EXPECT_EQ(quotas_of({0.99, 0.01}, 10), (std::vector<int>{9, 1})) << "a source is never left out";
  EXPECT_EQ(quotas_of({0, 2, 0, 2}, 6), (std::vector<int>{0, 3, 0, 3}));
}

TEST(Quotas, ThatCannotBeMeantAreRefused) {
  expect_error([] { quotas_of({}, 4); }, ErrorCode::kUsage, "no source");
  expect_error([] { quotas_of({0, 0}, 4); }, ErrorCode::kUsage, "no source");
  expect_error([] { quotas_of({1, -1}, 4); }, ErrorCode::kUsage, "weight is -1");
  expect_error([] { quotas_of({1, 1, 1}, 2); }, ErrorCode::kUsage, "3 sources cannot share a batch of 2 places");
}

TEST(SourcePlan, ShowsEachPlaceOnceAnEpoch) {
  const MadeUpPlaces source(24);
  const SourcePlan plan(source, 6, 1);
  EXPECT_EQ(plan.batches_per_epoch(), 4);
  for (std::int64_t epoch = 0; epoch < 5; ++epoch) {
    const auto shown = shown_in(plan, epoch);
    EXPECT_EQ(shown.size(), 24U);
    for (const auto& [place, times] : shown) EXPECT_EQ(times, 1) << place;
  }
}

TEST(SourcePlan, FillsTheLastBatchWithPlacesOfTheEpoch) {
  const MadeUpPlaces source(20);
  const SourcePlan plan(source, 6, 1);
  EXPECT_EQ(plan.batches_per_epoch(), 4);
  const auto shown = shown_in(plan, 2);
  EXPECT_EQ(shown.size(), 20U);
  for (std::int64_t step = 0; step < 8; ++step) {
    const auto places = plan.places_of(step);
    EXPECT_EQ(std::set<int>(places.begin(), places.end()).size(), 6U);
  }
}

TEST(SourcePlan, ShufflesEveryEpochAndEverySeedAnew) {
  const MadeUpPlaces source(50);
  const SourcePlan one(source, 10, 1), same(source, 10, 1), other(source, 10, 99);
  EXPECT_EQ(one.places_of(7), same.places_of(7));
  EXPECT_EQ(same.places_of(2), one.places_of(2)) << "in any order of asking";
  EXPECT_NE(one.places_of(0), one.places_of(5));
  EXPECT_NE(one.places_of(0), other.places_of(0));
}

TEST(SourcePlan, StaysInACityWhileItLasts) {
  const MadeUpPlaces source(100, {}, 25);
  const SourcePlan plan(source, 5, 1);
  for (std::int64_t step = 0; step < 20; ++step) {
    for (const int place : plan.places_of(step)) EXPECT_EQ(source.group(place), step / 5);
  }
}

TEST(SourcePlan, ABatchComesFromOneStretchAndStretchesAreCutAnew) {
  const MadeUpPlaces source(400, [](int a, int b) { return std::abs(a - b) > 2; }, 1'000'000, 40);
  const SourcePlan plan(source, 8, 1);
  std::set<int> firsts;
  for (std::int64_t epoch = 0; epoch < 5; ++epoch) {
    EXPECT_EQ(shown_in(plan, epoch).size(), 400U);
    double reach = 0;
    for (std::int64_t i = 0; i < plan.batches_per_epoch(); ++i) {
      auto places = plan.places_of(epoch * plan.batches_per_epoch() + i);
      std::ranges::sort(places);
      reach += places[6] - places[1];  // without one on each side that was left over
      if (i == 0) firsts.insert(places.front());
    }
    EXPECT_LT(reach / static_cast<double>(plan.batches_per_epoch()), 80) << "of 400";
  }
  EXPECT_EQ(firsts.size(), 5U);
}

TEST(SourcePlan, FillsUpFromTheCityItEndsWith) {
  const MadeUpPlaces source(98, {}, 49);
  const SourcePlan plan(source, 10, 1);
  for (const int place : plan.places_of(9)) EXPECT_EQ(source.group(place), 1);
}

TEST(SourcePlan, PlacesThatMustNotMeetNeverDoAndAllAreShown) {
  // Frames of a drive: neighbours up to 5 frames away look like one place.
  const MadeUpPlaces source(203, [](int a, int b) { return std::abs(a - b) > 5; });
  const SourcePlan plan(source, 10, 4);
  for (std::int64_t epoch = 0; epoch < 10; ++epoch) {
    EXPECT_EQ(shown_in(plan, epoch).size(), 203U) << epoch;
    for (std::int64_t i = 0; i < plan.batches_per_epoch(); ++i) {
      const auto places = plan.places_of(epoch * plan.batches_per_epoch() + i);
      ASSERT_EQ(places.size(), 10U);
      for (const int a : places) {
        for (const int b : places) ASSERT_TRUE(a == b || std::abs(a - b) > 5) << a << ' ' << b;
      }
    }
  }
}

TEST(SourcePlan, ACrowdedSetStillGivesFullBatches) {
  // Four cliques: any batch has one place of each.
  const MadeUpPlaces source(21, [](int a, int b) { return a % 4 != b % 4; });
  const SourcePlan plan(source, 4, 4);
  std::set<int> shown;
  for (std::int64_t step = 0; step < 60; ++step) {
    const auto places = plan.places_of(step);
    std::set<int> cliques;
    for (const int place : places) {
      cliques.insert(place % 4);
      shown.insert(place);
    }
    ASSERT_EQ(places.size(), 4U);
    ASSERT_EQ(cliques.size(), 4U);
  }
  EXPECT_EQ(shown.size(), 21U);
}

TEST(SourcePlan, TooCrowdedForABatchIsRefused) {
  const MadeUpPlaces source(20, [](int a, int b) { return a % 4 != b % 4; });
  expect_error([&] { SourcePlan(source, 5, 1); }, ErrorCode::kUsage,
               "no more than 4 of the 20 places of made up lie far enough apart for one batch, which takes 5");
}

}  // namespace
}  // namespace revisit::feed

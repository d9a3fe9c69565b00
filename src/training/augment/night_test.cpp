// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/augment/night.h"

#include <gtest/gtest.h>

#include <cmath>

#include "training/augment/sky.h"
#include "training/augment/test_pictures.h"

namespace revisit::augment {
namespace {

using revisit::testing::mean_of;
using revisit::testing::street;

TEST(Sky, IsFoundAboveTheHousesAndNowhereElse) {
  const Image image = street(60, 48);
  const auto sky = find_sky(image);
  ASSERT_EQ(sky.size(), 60U * 48U);
  for (std::size_t y = 0; y < 48; ++y) {
    for (std::size_t x = 0; x < 60; ++x) {
      const float found = sky[y * 60 + x];
      ASSERT_TRUE(y < 13 ? found > 0.99F : y > 18 ? found < 0.01F : true) << x << ", " << y << ": " << found;
    }
  }
}

TEST(Sky, ABrightWallBelowAnEdgeIsNotSky) {
  Image image = street(60, 48);
  for (std::size_t y = 30; y < 40; ++y) {
    for (std::size_t x = 20; x < 40; ++x) {
      for (std::size_t c = 0; c < 3; ++c) image.rgb[3 * (y * 60 + x) + c] = 230;
    }
  }
  EXPECT_LT(find_sky(image)[35 * 60 + 30], 0.01F);
}

TEST(Sky, APictureWithoutSkyOrPixelsHasNone) {
  const Image dark{20, 10, std::vector<std::uint8_t>(600, 30)};
  for (const float value : find_sky(dark)) EXPECT_EQ(value, 0);
  EXPECT_TRUE(find_sky({}).empty());
}

TEST(Night, IsDarkerThanDayAndKeepsTheSize) {
  const Image day = street(90, 60);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SplitMix random(seed);
    Night drawn = random_night(random);
    drawn.amplified = 0;
    const Image night = at_night(day, drawn);
    ASSERT_EQ(night.width, 90);
    ASSERT_EQ(night.height, 60);
    ASSERT_LT(mean_of(night), 0.75 * mean_of(day)) << seed;
    ASSERT_GT(mean_of(night), 3) << seed;
  }
}

TEST(Night, HasTheMeanBrightnessAskedFor) {
  Night night;
  night.noise = 0;
  for (const double level : {20.0, 40.0, 60.0}) {
    night.level = level;
    EXPECT_NEAR(mean_of(at_night(street(90, 60), night)), level, 0.12 * level);
  }
}

TEST(Night, TheSameNumbersGiveTheSamePicture) {
  const Image day = street(90, 60);
  SplitMix one(5), two(5), three(6);
  const Image first = at_night(day, random_night(one));
  EXPECT_EQ(first.rgb, at_night(day, random_night(two)).rgb);
  EXPECT_NE(first.rgb, at_night(day, random_night(three)).rgb);
}

TEST(Night, TheSkyIsDarkerThanTheHouses) {
  const Image day = street(90, 60);
  Night night;
  night.noise = 0;
  const Image dark = at_night(day, night);
  const PixelBox sky{0, 0, 90, 16}, houses{0, 26, 90, 30};
  ASSERT_GT(mean_of(day, sky), mean_of(day, houses));
  EXPECT_LT(mean_of(dark, sky), 0.7 * mean_of(dark, houses));
}

TEST(Night, ALampBlindsAndLightsWhatIsUnderIt) {
  Night without;
  without.noise = 0;
  Night with = without;
  with.lamps.push_back({.x = 0.25, .y = 0.4, .reach = 0.2, .strength = 20, .glare = 0.03});
  const Image dark = at_night(street(120, 90), without), lit = at_night(street(120, 90), with);
  EXPECT_GT(mean_of(lit, {28, 34, 4, 4}), 200);
  // Light from a lamp makes its surroundings brighter against the rest of the street, not only itself.
  const PixelBox under{18, 50, 24, 20}, away{90, 50, 24, 20};
  EXPECT_GT(mean_of(lit, under) / mean_of(lit, away), 2 * mean_of(dark, under) / mean_of(dark, away));
}

TEST(Night, AnAmplifiedOneUsesEveryBrightnessAndKeepsTheirOrder) {
  const Image day = street(90, 60);
  Night night;
  night.saturation = 0;
  const Image dark = at_night(day, night);
  night.amplified = 1;
  const Image lifted = at_night(day, night);
  EXPECT_LT(mean_of(dark), 50);
  EXPECT_NEAR(mean_of(lifted), 127.5, 3);
  for (std::size_t i = 3; i < dark.rgb.size(); i += 3) {
    ASSERT_TRUE(dark.rgb[i] <= dark.rgb[i - 3] || lifted.rgb[i] >= lifted.rgb[i - 3]) << i;
  }
  night.amplified = 0.5;
  EXPECT_NEAR(mean_of(at_night(day, night)), (mean_of(dark) + mean_of(lifted)) / 2, 2);
}

TEST(Night, GrainAndBlurDoWhatTheySay) {
  const Image wall{60, 60, std::vector<std::uint8_t>(60 * 60 * 3, 120)};
  Night night;
  night.ambient = {1, 1, 1};
  night.noise = 0;
  const Image still = at_night(wall, night);
  const auto spread = [](const Image& image) {
    const double mean = mean_of(image);
    double sum = 0;
    for (const auto value : image.rgb) sum += (value - mean) * (value - mean);
    return std::sqrt(sum / static_cast<double>(image.rgb.size()));
  };
  EXPECT_LT(spread(still), 0.5);
  night.noise = 6;
  EXPECT_NEAR(spread(at_night(wall, night)), 6, 0.8);
  night.saturation = 0;
  const Image gray = at_night(street(60, 40), night);
  for (std::size_t i = 0; i < gray.rgb.size(); i += 3) ASSERT_EQ(gray.rgb[i], gray.rgb[i + 2]);

  Night sharp, soft;
  sharp.noise = soft.noise = 0;
  soft.blur = 0.3;
  EXPECT_LT(spread(at_night(street(90, 60), soft)), 0.95 * spread(at_night(street(90, 60), sharp)));
}

TEST(Night, APictureOfOnePixelOrNoneIsNoProblem) {
  SplitMix random(1);
  const Night night = random_night(random);
  EXPECT_EQ(at_night({1, 1, {200, 200, 200}}, night).rgb.size(), 3U);
  EXPECT_TRUE(at_night({}, night).rgb.empty());
}

}  // namespace
}  // namespace revisit::augment

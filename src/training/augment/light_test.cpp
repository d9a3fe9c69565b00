// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/augment/light.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "training/augment/test_pictures.h"

namespace revisit::augment {
namespace {

using revisit::testing::mean_of;
using revisit::testing::street;

double mean_of_channel(const Image& image, std::size_t channel) {
  double sum = 0;
  for (std::size_t i = channel; i < image.rgb.size(); i += 3) sum += image.rgb[i];
  return sum / static_cast<double>(image.rgb.size() / 3);
}

TEST(Light, NeutralLightLeavesThePicture) { EXPECT_EQ(relit(street(30, 20), {}).rgb, street(30, 20).rgb); }

TEST(Light, TheSameNumbersGiveTheSamePicture) {
  const Image image = street(30, 20);
  SplitMix one(5), two(5), three(6);
  const Image first = relit(image, random_light(one));
  EXPECT_EQ(first.rgb, relit(image, random_light(two)).rgb);
  EXPECT_NE(first.rgb, relit(image, random_light(three)).rgb);
  EXPECT_NE(first.rgb, image.rgb);
  EXPECT_EQ(first.width, 30);
  EXPECT_EQ(first.height, 20);
}

TEST(Light, EachPartDoesWhatItSays) {
  const Image image = street(30, 20);
  EXPECT_LT(mean_of(relit(image, {.gamma = 1.5})), mean_of(image) - 10);
  EXPECT_GT(mean_of(relit(image, {.exposure = 1.3})), mean_of(image) + 10);
  const Image warm = relit(image, {.cast = {1.15, 1, 0.85}});
  EXPECT_GT(mean_of_channel(warm, 0), mean_of_channel(image, 0));
  EXPECT_LT(mean_of_channel(warm, 2), mean_of_channel(image, 2));
  const Image gray = relit(image, {.saturation = 0});
  EXPECT_EQ(mean_of_channel(gray, 0), mean_of_channel(gray, 2));
  const auto [low, high] = std::ranges::minmax(relit(image, {.contrast = 0.5}).rgb);
  const auto [before_low, before_high] = std::ranges::minmax(image.rgb);
  EXPECT_LT(high - low, 0.6 * (before_high - before_low));
}

TEST(Light, NoRandomLightMakesAPictureBlackOrWhite) {
  const Image image = street(60, 40);
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SplitMix random(seed);
    const double mean = mean_of(relit(image, random_light(random)));
    ASSERT_GT(mean, 25) << seed;
    ASSERT_LT(mean, 235) << seed;
  }
}

}  // namespace
}  // namespace revisit::augment

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/augment/viewpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "training/augment/test_pictures.h"
#include "revisit/error.h"

namespace revisit::augment {
namespace {

using revisit::testing::street;

Point looked_up(const Map& map, double x, double y) {
  const double depth = map[6] * x + map[7] * y + 1;
  return {(map[0] * x + map[1] * y + map[2]) / depth, (map[3] * x + map[4] * y + map[5]) / depth};
}

TEST(Viewpoint, ABoxLiesInThePictureAndHasTheShareAskedFor) {
  std::set<std::pair<int, int>> sizes;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SplitMix random(seed);
    const PixelBox box = random_box({240, 320}, 0.4, random);
    ASSERT_GE(box.left, 0);
    ASSERT_GE(box.top, 0);
    ASSERT_LE(box.left + box.width, 320);
    ASSERT_LE(box.top + box.height, 240);
    const double share = box.width * box.height / (240.0 * 320.0);
    ASSERT_GT(share, 0.39) << seed;
    const double shape = static_cast<double>(box.width) / box.height * 240 / 320;
    ASSERT_LT(std::max(shape, 1 / shape), 1.36) << seed;
    sizes.emplace(box.width, box.height);
  }
  EXPECT_GT(sizes.size(), 400U);
}

TEST(Viewpoint, ABoxOfTheWholeAreaIsThePicture) {
  SplitMix random(3);
  EXPECT_EQ(random_box({7, 5}, 1, random), (PixelBox{0, 0, 5, 7}));
}

TEST(Viewpoint, TheSmallestPictureHasABoxToo) {
  SplitMix random(3);
  EXPECT_EQ(random_box({1, 1}, 0.1, random), (PixelBox{0, 0, 1, 1}));
}

TEST(Viewpoint, CuttingOutKeepsThePixelsOfTheBox) {
  const Image image = street(12, 9);
  const Image part = cut_out(image, {3, 2, 5, 4});
  ASSERT_EQ(part.width, 5);
  ASSERT_EQ(part.height, 4);
  for (int y = 0; y < 4; ++y) {
    for (int i = 0; i < 15; ++i)
      EXPECT_EQ(part.rgb[static_cast<std::size_t>(y * 15 + i)], image.rgb[static_cast<std::size_t>((y + 2) * 36 + 9 + i)]);
  }
}

TEST(Viewpoint, ABoxThatLeavesThePictureIsRefused) {
  const Image image = street(12, 9);
  for (const PixelBox box : {PixelBox{-1, 0, 3, 3}, PixelBox{10, 0, 3, 3}, PixelBox{0, 7, 3, 3}, PixelBox{0, 0, 0, 3}}) {
    EXPECT_THROW(cut_out(image, box), Error);
  }
}

TEST(Viewpoint, MirroringExchangesLeftAndRight) {
  const Image image = street(11, 4);
  const Image other = mirrored(image);
  EXPECT_NE(other.rgb, image.rgb);
  EXPECT_EQ(mirrored(other).rgb, image.rgb);
  EXPECT_TRUE(std::equal(image.rgb.begin(), image.rgb.begin() + 3, other.rgb.begin() + 30));
}

TEST(Viewpoint, TheCornersOfTheResultAreLookedUpWhereAsked) {
  const Corners corners{Point{10, 20}, Point{190, 5}, Point{180, 140}, Point{25, 120}};
  const Map map = map_from_corners(corners, {96, 128});
  const Corners of_result{Point{0, 0}, Point{128, 0}, Point{128, 96}, Point{0, 96}};
  for (std::size_t i = 0; i < 4; ++i) {
    const Point at = looked_up(map, of_result[i].x, of_result[i].y);
    EXPECT_NEAR(at.x, corners[i].x, 1e-9);
    EXPECT_NEAR(at.y, corners[i].y, 1e-9);
  }
  // Straight lines stay straight: the middle of the result lies where the diagonals of the four points cross.
  const Point middle = looked_up(map, 64, 48);
  const auto side = [&](const Point& a, const Point& b) {
    return (b.x - a.x) * (middle.y - a.y) - (b.y - a.y) * (middle.x - a.x);
  };
  EXPECT_NEAR(side(corners[0], corners[2]), 0, 1e-6);
  EXPECT_NEAR(side(corners[1], corners[3]), 0, 1e-6);
}

TEST(Viewpoint, CornersThatDoNotMoveLeaveThePicture) {
  const Image image = street(33, 21);
  SplitMix random(1);
  const Corners corners = random_corners({21, 33}, 0, random);
  EXPECT_EQ(warp(image, map_from_corners(corners, {21, 33}), {21, 33}).rgb, image.rgb);
}

TEST(Viewpoint, NoTiltBringsBlackIntoAWhitePicture) {
  const Image white{64, 48, std::vector<std::uint8_t>(64 * 48 * 3, 255)};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SplitMix random(seed);
    const Corners corners = random_corners({48, 64}, 1, random);
    const Image tilted = warp(white, map_from_corners(corners, {32, 40}), {32, 40});
    ASSERT_EQ(tilted.width, 40);
    ASSERT_EQ(tilted.height, 32);
    ASSERT_EQ(std::ranges::count(tilted.rgb, 255), 32 * 40 * 3) << seed;
  }
}

TEST(Viewpoint, CornersMoveInwardsByNoMoreThanTheStrength) {
  double most = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SplitMix one(seed), two(seed);
    const Corners corners = random_corners({100, 200}, 0.25, one);
    EXPECT_EQ(corners[2].x, random_corners({100, 200}, 0.25, two)[2].x);
    for (const Point& corner : corners) {
      const double x = std::min(corner.x, 200 - corner.x) / 200, y = std::min(corner.y, 100 - corner.y) / 100;
      ASSERT_GE(std::min(x, y), 0);
      most = std::max({most, x, y});
    }
  }
  EXPECT_LE(most, 0.25);
  EXPECT_GT(most, 0.24);
}

}  // namespace
}  // namespace revisit::augment

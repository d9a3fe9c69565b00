// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The z-buffer against what geometry says.
#include "lab/town/raster.h"

#include <gtest/gtest.h>

#include <cmath>

namespace revisit::town {
namespace {

View straight_ahead(int width, int height) {
  View view;
  view.eye = {0, 0, 1.7f};
  view.right = {1, 0, 0};
  view.forward = {0, 1, 0};
  view.up = kUp;
  view.width = width;
  view.height = height;
  view.focal_px = static_cast<float>(width);
  view.centre_x = static_cast<float>(width) / 2;
  view.horizon_y = static_cast<float>(height) / 2;
  return view;
}

TEST(Raster, DepthOfAPlaneIsExact) {
  Scene scene;
  const int paint = scene.add({});
  scene.quad({-90, -50, 0}, {90, -50, 0}, {90, 200, 0}, {-90, 200, 0}, paint);  // the ground, also behind the camera
  const View view = straight_ahead(64, 48);
  const Visible seen = rasterise(scene, view);
  for (const int y : {26, 30, 47}) {
    const float below = static_cast<float>(y) + 0.5f - view.horizon_y;
    for (const int x : {0, 31, 63}) {
      const auto at = pixel_index(x, y, 64);
      EXPECT_EQ(seen.id[at], 0);
      EXPECT_NEAR(1 / seen.inverse_depth[at], 1.7f * view.focal_px / below, 1e-2) << x << " " << y;
    }
  }
  EXPECT_EQ(seen.id[0], kSky);
}

TEST(Raster, TheNearerFaceWinsWhateverTheOrder) {
  for (const bool near_first : {true, false}) {
    Scene scene;
    const int paint = scene.add({});
    const auto wall = [&](float y) { return &scene.quad({-1, y, 0}, {1, y, 0}, {1, y, 3}, {-1, y, 3}, paint); };
    wall(near_first ? 4 : 8);
    wall(near_first ? 8 : 4);
    const Visible seen = rasterise(scene, straight_ahead(32, 32));
    EXPECT_EQ(seen.id[16 * 32 + 16], near_first ? 0 : 1);
    EXPECT_NEAR(1 / seen.inverse_depth[16 * 32 + 16], 4, 1e-4);
  }
}

TEST(Raster, NeighboursShareAnEdgeWithoutHolesOrOverlap) {
  Scene scene;
  const int paint = scene.add({});
  const Vec3 tip{0.37f, 6, 3.1f};
  scene.quad({-9, 6, -5}, {0.123f, 6, -5}, tip, {-9, 6, 9}, paint);
  scene.quad({0.123f, 6, -5}, {9, 6, -5}, {9, 6, 9}, tip, paint);
  const View view = straight_ahead(200, 150);
  const Visible seen = rasterise(scene, view);
  const int top = static_cast<int>(view.horizon_y - (tip.z - 1.7f) / 6 * view.focal_px) + 1;
  for (int y = top; y < view.height; ++y) {
    for (int x = 0; x < view.width; ++x) EXPECT_NE(seen.id[pixel_index(x, y, view.width)], kSky) << x << " " << y;
  }
}

TEST(Raster, BacksAreNotSeenUnlessAFaceHasTwoSides) {
  Scene scene;
  const int paint = scene.add({});
  Face& wall = scene.quad({1, 4, 0}, {-1, 4, 0}, {-1, 4, 3}, {1, 4, 3}, paint);
  EXPECT_EQ(rasterise(scene, straight_ahead(32, 32)).id[16 * 32 + 16], kSky);
  wall.two_sided = true;
  EXPECT_EQ(rasterise(scene, straight_ahead(32, 32)).id[16 * 32 + 16], 0);
}

TEST(Raster, ABallIsRoundAndAsFarAsItsFront) {
  Scene scene;
  scene.balls.push_back({{0, 10, 1.7f}, 1, scene.add({}), 0});
  const View view = straight_ahead(101, 101);
  const Visible seen = rasterise(scene, view);
  EXPECT_NEAR(1 / seen.inverse_depth[50 * 101 + 50], 9, 1e-3);
  int area = 0;
  for (const auto id : seen.id) area += id == 0 ? 1 : 0;
  const double radius = 101 / std::sqrt(99.0);  // of the outline: tangent rays
  EXPECT_NEAR(area, 3.14159 * radius * radius, 0.05 * area);
}

TEST(Raster, ShadowsFallAwayFromTheSun) {
  Scene scene;
  const int paint = scene.add({});
  scene.quad({-50, -50, 0}, {50, -50, 0}, {50, 50, 0}, {-50, 50, 0}, paint);
  add_box(scene, Frame::facing({0, 0, 0}, {1, 0, 0}), {-1, 1}, {-1, 1}, {0, 4}, paint, paint);
  const ShadowMap map(scene, normalised({1, 0, 1}), {0, 0, 0});  // from the right: shade on the left, 4 m long
  EXPECT_EQ(map.light_at({-3, 0, 0}, kUp), 0);
  EXPECT_EQ(map.light_at({3, 0, 0}, kUp), 1);
  EXPECT_EQ(map.light_at({-7, 0, 0}, kUp), 1);
  EXPECT_EQ(map.light_at({0, 0, 4}, kUp), 1);
}

TEST(Maths, SineAndCosineAgreeWithTheLibrary) {
  for (int i = -200; i <= 200; ++i) {
    const double degrees = 3.7 * i;
    const SinCos got = sin_cos_deg(degrees);
    EXPECT_NEAR(got.sin, std::sin(degrees * 3.14159265358979 / 180), 2e-7) << degrees;
    EXPECT_NEAR(got.cos, std::cos(degrees * 3.14159265358979 / 180), 2e-7) << degrees;
  }
}

TEST(Maths, DecayFollowsTheExponential) {
  for (int i = 0; i < 24; ++i) {
    const float v = 0.25f * static_cast<float>(i);
    EXPECT_NEAR(decay(v), std::exp(-v), 0.02) << v;
  }
}

TEST(Random, DrawsStayInRangeAndSpread) {
  Rng rng(1);
  int counts[5] = {};
  for (int i = 0; i < 5000; ++i) {
    const float v = rng.range(-2, 3);
    ASSERT_GE(v, -2);
    ASSERT_LT(v, 3);
    ++counts[rng.below(5)];
  }
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
}

}  // namespace
}  // namespace revisit::town

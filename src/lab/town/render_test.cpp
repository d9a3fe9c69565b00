// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Pictures: the same on every machine, different from each other, and in true perspective.
#include "lab/town/render.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "revisit/error.h"
#include "revisit/lab/synth.h"

namespace revisit {
namespace {

constexpr Size kSmall{90, 120};

double mean_difference(const Image& a, const Image& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.rgb.size(); ++i) sum += std::abs(static_cast<int>(a.rgb[i]) - static_cast<int>(b.rgb[i]));
  return sum / static_cast<double>(a.rgb.size());
}

double mean_level(const Image& image) {
  double sum = 0;
  for (const std::uint8_t v : image.rgb) sum += v;
  return sum / static_cast<double>(image.rgb.size());
}

std::uint64_t hash_of(const Image& image) {
  std::uint64_t h = 0;
  for (const std::uint8_t v : image.rgb) h = town::combine(h, v);
  return h;
}

SceneConditions night_in_snow() {
  return {SceneConditions::Season::kSnow, SceneConditions::Light::kNight, SceneConditions::Weather::kClear, 5};
}

TEST(Render, GivesTheSameBytesTwice) {
  EXPECT_EQ(render_place(3, 4, {}, {}, kSmall).rgb, render_place(3, 4, {}, {}, kSmall).rgb);
}

TEST(Render, GivesTheBytesItAlwaysGave) {
  // Changes whenever the town is drawn differently; must not change with the machine or the compiler.
  EXPECT_EQ(hash_of(render_place(3, 4, {}, {}, kSmall)), 2761198300959751395ULL);
  EXPECT_EQ(hash_of(render_place(3, 4, {1, 1, 5, 2}, night_in_snow(), kSmall)), 16374405549161438539ULL);
}

TEST(Render, MakesPicturesOfTheSizeAskedFor) {
  for (const Size size : {Size{1, 1}, Size{7, 300}, Size{200, 3}, Size{90, 121}}) {
    const Image image = render_place(1, 2, {}, {}, size);
    EXPECT_EQ(image.width, size.width);
    EXPECT_EQ(image.height, size.height);
    EXPECT_EQ(image.rgb.size(), static_cast<std::size_t>(size.width * size.height * 3));
  }
}

TEST(Render, RefusesSizesAndPlacesThatCannotBe) {
  EXPECT_THROW(render_place(1, 0, {}, {}, {0, 10}), Error);
  EXPECT_THROW(render_place(1, 0, {}, {}, {10, 5000}), Error);
  EXPECT_THROW(render_place(1, -1, {}, {}, kSmall), Error);
}

TEST(Render, ShowsOtherPlacesAndOtherTownsDifferently) {
  const Image one = render_place(1, 0, {}, {}, kSmall);
  for (int place = 1; place < 6; ++place) EXPECT_GT(mean_difference(one, render_place(1, place, {}, {}, kSmall)), 15) << place;
  EXPECT_GT(mean_difference(one, render_place(2, 0, {}, {}, kSmall)), 15);
}

TEST(Render, ChangesWithEachCondition) {
  const Image usual = render_place(1, 7, {}, {}, kSmall);
  SceneConditions other;
  other.season = SceneConditions::Season::kAutumn;
  EXPECT_GT(mean_difference(usual, render_place(1, 7, {}, other, kSmall)), 1);
  other.season = SceneConditions::Season::kSnow;
  EXPECT_GT(mean_difference(usual, render_place(1, 7, {}, other, kSmall)), 5);
  other = {};
  other.light = SceneConditions::Light::kDusk;
  EXPECT_GT(mean_difference(usual, render_place(1, 7, {}, other, kSmall)), 5);
  other.light = SceneConditions::Light::kNight;
  const Image night = render_place(1, 7, {}, other, kSmall);
  EXPECT_LT(mean_level(night), 0.8 * mean_level(usual));
  other = {};
  for (const auto weather :
       {SceneConditions::Weather::kOvercast, SceneConditions::Weather::kFog, SceneConditions::Weather::kRain}) {
    other.weather = weather;
    EXPECT_GT(mean_difference(usual, render_place(1, 7, {}, other, kSmall)), 5) << static_cast<int>(weather);
  }
  other = {};
  other.traffic_seed = 99;
  EXPECT_GT(mean_difference(usual, render_place(1, 7, {}, other, kSmall)), 1);
}

TEST(Render, PatchesOfAPictureDifferFromEachOther) {
  const Image image = render_place(1, 3, {}, {}, {224, 294});
  const auto pixel = [&](int x, int y) { return static_cast<int>(image.rgb[3 * town::pixel_index(x, y, image.width) + 1]); };
  int textured = 0, patches = 0;
  for (int py = 0; py < 16; ++py) {
    for (int px = 0; px < 21; ++px, ++patches) {
      int low = 255, high = 0;
      for (int y = 0; y < 14; ++y) {
        for (int x = 0; x < 14; ++x) {
          low = std::min(low, pixel(14 * px + x, 14 * py + y));
          high = std::max(high, pixel(14 * px + x, 14 * py + y));
        }
      }
      textured += high - low > 20 ? 1 : 0;
    }
  }
  EXPECT_GT(textured, patches / 2) << textured << " of " << patches;
}

/// Where a point appears, in pixels from the left.
float column_of(const town::View& view, town::Vec3 point) {
  const town::Vec3 d = point - view.eye;
  return view.centre_x + town::dot(d, view.right) / town::dot(d, view.forward) * view.focal_px;
}

TEST(Render, AStepAsideMovesNearThingsMoreThanFarOnes) {
  town::Place place;
  const town::View here = make_view(place, {}, kSmall), aside = make_view(place, {1, 0, 0, 1.7}, kSmall);
  const town::Vec3 near{0, 5, 1}, far{0, 50, 1};
  const float near_shift = column_of(here, near) - column_of(aside, near),
              far_shift = column_of(here, far) - column_of(aside, far);
  EXPECT_NEAR(near_shift, here.focal_px / 5, 0.01);
  EXPECT_NEAR(far_shift, here.focal_px / 50, 0.01);
  // The same from the picture itself: two posts against the sky, found by what the rasteriser says is seen there.
  town::Scene posts;
  const int paint = posts.add({});
  const town::Frame frame = town::Frame::facing({0, 0, 0}, {1, 0, 0});
  add_box(posts, frame, {-0.05f, 0.05f}, {5, 5.1f}, {0, 2}, paint, paint);
  const auto first_far = static_cast<std::int32_t>(posts.faces.size());
  add_box(posts, frame, {-0.5f, 0.5f}, {50, 51}, {3, 30}, paint, paint);
  const auto middle = [&](const town::View& view, int row, bool far_post) {
    const town::Visible seen = rasterise(posts, view);
    double sum = 0, count = 0;
    for (int x = 0; x < view.width; ++x) {
      const auto id = seen.id[town::pixel_index(x, row, view.width)];
      if (id != town::kSky && (id >= first_far) == far_post) {
        sum += x;
        count += 1;
      }
    }
    return sum / count;
  };
  const int low = static_cast<int>(here.horizon_y) + 5, high = static_cast<int>(here.horizon_y) - 20;
  EXPECT_NEAR(middle(here, low, false) - middle(aside, low, false), static_cast<double>(near_shift), 1.5);
  EXPECT_NEAR(middle(here, high, true) - middle(aside, high, true), static_cast<double>(far_shift), 1.5);
}

TEST(Render, StandingAsideOrTurningChangesThePicture) {
  const Image here = render_place(1, 7, {}, {}, kSmall);
  EXPECT_GT(mean_difference(here, render_place(1, 7, {1, 0, 0, 1.7}, {}, kSmall)), 3);
  EXPECT_GT(mean_difference(here, render_place(1, 7, {0, 2, 0, 1.7}, {}, kSmall)), 3);
  EXPECT_GT(mean_difference(here, render_place(1, 7, {0, 0, 8, 1.7}, {}, kSmall)), 3);
}

}  // namespace
}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Each orientation on a picture of six pixels, written out.
#include "core/image/orient.h"

#include <gtest/gtest.h>

#include <string>

namespace revisit {
namespace {

// The stored picture is  a b c
//                        d e f
Image stored() {
  Image image{3, 2, {}};
  for (const char c : std::string("abcdef")) image.rgb.insert(image.rgb.end(), 3, static_cast<std::uint8_t>(c));
  return image;
}

std::string rows(const Image& image) {
  std::string out;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x)
      out.push_back(static_cast<char>(image.rgb[static_cast<std::size_t>(3 * (y * image.width + x) + 2)]));
    out.push_back('/');
  }
  return out;
}

TEST(Orient, TurnsEachOfTheEightUpright) {
  const char* want[] = {"abc/def/", "cba/fed/", "fed/cba/", "def/abc/", "ad/be/cf/", "da/eb/fc/", "fc/eb/da/", "cf/be/ad/"};
  for (int orientation = 1; orientation <= 8; ++orientation)
    EXPECT_EQ(rows(make_upright(stored(), orientation)), want[orientation - 1]) << orientation;
}

TEST(Orient, LeavesThePictureAloneForOtherValues) {
  for (const int orientation : {-1, 0, 9, 1000}) EXPECT_EQ(rows(make_upright(stored(), orientation)), "abc/def/");
}

TEST(Orient, TurningThereAndBackIsTheIdentityAcrossTiles) {
  Image image{71, 45, {}};
  for (int i = 0; i < 71 * 45 * 3; ++i) image.rgb.push_back(static_cast<std::uint8_t>(i * 7 % 251));
  EXPECT_EQ(make_upright(make_upright(image, 6), 8).rgb, image.rgb);
  for (const int own_inverse : {2, 3, 4, 5, 7})
    EXPECT_EQ(make_upright(make_upright(image, own_inverse), own_inverse).rgb, image.rgb);
}

}  // namespace
}  // namespace revisit

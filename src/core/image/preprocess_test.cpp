// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Normalisation, value by value.
#include "core/image/preprocess.h"

#include <gtest/gtest.h>

#include <vector>

#include "image_fixtures.h"

namespace revisit {
namespace {

TEST(Preprocess, WritesPlanesOfTheExactFloatForEveryByte) {
  Image image{256, 1, {}};
  for (int v = 0; v < 256; ++v) {
    for (const int c : {v, 255 - v, v ^ 85}) image.rgb.push_back(static_cast<std::uint8_t>(c));
  }
  const std::array<float, 3> mean = {0.485F, 0.456F, 0.406F};
  const std::array<float, 3> deviation = {0.229F, 0.224F, 0.225F};
  std::vector<float> planes(image.rgb.size());
  normalise_to_planes(image, mean, deviation, planes.data());
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t x = 0; x < 256; ++x) {
      const float unit = static_cast<float>(image.rgb[3 * x + c]) / 255.0F;
      const float centred = unit - mean[c];
      ASSERT_EQ(planes[256 * c + x], centred / deviation[c]) << c << " " << x;
    }
  }
}

TEST(Preprocess, RefusesAnImageWhoseBytesDoNotFitItsSize) {
  float out[12];
  EXPECT_EQ(testing::error_of([&] {
              normalise_to_planes(Image{2, 2, {1, 2, 3}}, {0, 0, 0}, {1, 1, 1}, out);
            }).code(),
            ErrorCode::kUsage);
}

}  // namespace
}  // namespace revisit

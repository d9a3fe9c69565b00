// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/resize_planes.h"

#include <gtest/gtest.h>

namespace revisit {
namespace {

TEST(ResizePlanes, KeepsEvenPlanesAndAveragesWhatItHalves) {
  std::vector<float> planes(3 * 6 * 8);
  for (std::size_t i = 0; i < planes.size(); ++i) planes[i] = static_cast<float>(i / 48);  // each plane of one value
  for (const Size size : {Size{3, 4}, Size{11, 5}, Size{6, 8}, Size{1, 1}}) {
    const auto out = planes_resized(planes, {6, 8}, size);
    const std::size_t area = out.size() / 3;
    ASSERT_EQ(out.size(), 3 * static_cast<std::size_t>(size.height * size.width));
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i], static_cast<float>(i / area), 1e-6);
  }
  // 4 cells to 2 along a line: a triangle over four cells whose outer ones weigh 1/4 of the inner ones, cut off at the edge.
  const std::vector<float> line{1, 2, 3, 5, 1, 2, 3, 5, 1, 2, 3, 5};
  const auto half = planes_resized(line, {1, 4}, {1, 2});
  EXPECT_NEAR(half[0], (0.75 * 1 + 0.75 * 2 + 0.25 * 3) / 1.75, 1e-6);
  EXPECT_NEAR(half[1], (0.25 * 2 + 0.75 * 3 + 0.75 * 5) / 1.75, 1e-6);
}

TEST(ResizePlanes, OfTheSameSizeChangesNothing) {
  std::vector<float> planes(3 * 5 * 7);
  for (std::size_t i = 0; i < planes.size(); ++i) planes[i] = static_cast<float>(i % 11) - 4;
  EXPECT_EQ(planes_resized(planes, {5, 7}, {5, 7}), planes);
}

}  // namespace
}  // namespace revisit

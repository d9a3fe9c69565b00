// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Conv-AP against its equations in double, the layer first.
#include <gtest/gtest.h>

#include "engine/aggregate/test_heads.h"
#include "engine/model/convap_head.h"
#include "revisit/error.h"

namespace revisit::aggregate {
namespace {

using testing::Plain;

TEST(Convap, AgreesWithItsEquations) {
  const int sizes[][6] = {{40, 12, 2, 2, 10, 10}, {17, 5, 2, 2, 7, 9}, {9, 30, 3, 1, 5, 4}, {8, 4, 2, 2, 1, 3}};
  for (const auto& [width, channels, rows, columns, height, breadth] : sizes) {
    const auto model = testing::random_model({"convap", model::ConvapHead{width, channels, rows, columns}}, width, 41);
    testing::RandomMap map(height, breadth, width, 42);
    Plain want(static_cast<std::size_t>(channels * rows * columns));
    for (int region = 0; region < rows * columns; ++region) {
      const int i = region / columns, j = region % columns;
      const int top = i * height / rows, bottom = static_cast<int>(std::ceil((i + 1.0) * height / rows));
      const int left = j * breadth / columns, right = static_cast<int>(std::ceil((j + 1.0) * breadth / columns));
      for (int cell = 0; cell < map.cells(); ++cell) {
        const int r = cell / breadth, c = cell % breadth;
        if (r < top || r >= bottom || c < left || c >= right) continue;
        Plain x;
        for (int k = 0; k < width; ++k) x.push_back(map.at(cell, k));
        const Plain y = testing::through(model, "aggregator.channel_pool", x);
        for (std::size_t k = 0; k < y.size(); ++k) {
          want[k * static_cast<std::size_t>(rows * columns) + static_cast<std::size_t>(region)] +=
              y[k] / ((bottom - top) * (right - left));
        }
      }
    }
    EXPECT_LT(testing::largest_difference(testing::described(model, map.features()), testing::unit(want)), 1e-6) << width;
  }
}

TEST(Convap, NeedsAMap) {
  const auto model = testing::random_model({"convap", model::ConvapHead{6, 4}}, 6, 1);
  std::vector<float> tokens(5 * 6, 1.0F);
  EXPECT_THROW(testing::described(model, testing::as_tokens(tokens, 6)), Error);
}

}  // namespace
}  // namespace revisit::aggregate

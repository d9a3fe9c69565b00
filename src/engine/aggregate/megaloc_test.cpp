// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// MegaLoc is SALAD and a layer.
#include <gtest/gtest.h>

#include "engine/aggregate/test_heads.h"

namespace revisit::aggregate {
namespace {

TEST(Megaloc, IsALayerOverWhatSaladGives) {
  const auto salad = testing::random_head(model::kSalad, {8}, 6);
  auto megaloc = testing::random_head(model::kMegaloc, {8}, 6);
  const int between = salad.config.head.descriptor_dim();
  megaloc.config.head.transport().projected = 21;
  ASSERT_EQ(megaloc.config.head.transport().assembled_dim(), between);
  std::mt19937 random(7);
  megaloc.weights.add_f32("aggregator.linear.weight", {21, between},
                          testing::random_values(21 * static_cast<std::size_t>(between), random));
  megaloc.weights.add_f32("aggregator.linear.bias", {21}, testing::random_values(21, random));

  auto tokens = testing::random_values(31 * 12, random);
  const auto assembled = testing::described(salad, testing::as_tokens(tokens, 12));
  const auto want = testing::unit(testing::through(megaloc, "aggregator.linear", {assembled.begin(), assembled.end()}));
  EXPECT_LT(testing::largest_difference(testing::described(megaloc, testing::as_tokens(tokens, 12)), want), 1e-6);
}

}  // namespace
}  // namespace revisit::aggregate

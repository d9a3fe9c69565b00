// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "engine/aggregate/aggregator.h"
#include "engine/aggregate/test_support.h"
#include "engine/model/model_file.h"

namespace revisit::aggregate {
namespace {

TEST(Max, IsReadFromMetadataAndTakesTheLargestOfEachChannel) {
  model::Config config = model::named_config("demo");
  config.head = {};
  auto metadata = model::to_metadata(config);
  metadata["aggregator"] = "max";
  const auto model = model::make_random(model::from_metadata(metadata, "m"), 1);
  EXPECT_EQ(model::to_metadata(model->config).at("aggregator"), "max");
  const auto head = make_aggregator(*model, std::nullopt);
  ASSERT_EQ(head->dim(), 192);
  std::vector<float> tokens(3 * 192, -1.0F), out(192);
  tokens[192] = 3;
  tokens[2 * 192] = 2;
  tokens[2 * 192 + 1] = 4;
  for (std::size_t c = 2; c < 192; ++c) tokens[192 + c] = 0;
  tensor::Arena arena;
  head->aggregate(testing::as_tokens(tokens, 192), out.data(), arena, nullptr);
  EXPECT_NEAR(out[0], 0.6, 1e-6);
  EXPECT_NEAR(out[1], 0.8, 1e-6);
}

}  // namespace
}  // namespace revisit::aggregate

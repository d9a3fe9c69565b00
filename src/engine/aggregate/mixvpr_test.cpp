// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// MixVPR against its equations in double.
#include <gtest/gtest.h>

#include "engine/aggregate/test_heads.h"
#include "engine/model/mixvpr_head.h"
#include "revisit/error.h"

namespace revisit::aggregate {
namespace {

using testing::Plain;

Plain mixed(const model::LoadedModel& model, const std::string& root, const Plain& x) {
  double mean = 0, variance = 0;
  for (const double v : x) mean += v / static_cast<double>(x.size());
  for (const double v : x) variance += (v - mean) * (v - mean) / static_cast<double>(x.size());
  Plain norm;
  for (std::size_t i = 0; i < x.size(); ++i) {
    norm.push_back((x[i] - mean) / std::sqrt(variance + 1e-5) * testing::weight(model, root + "0.weight", static_cast<int>(i)) +
                   testing::weight(model, root + "0.bias", static_cast<int>(i)));
  }
  Plain hidden = testing::through(model, root + "1", norm);
  for (double& v : hidden) v = std::max(v, 0.0);
  Plain out = testing::through(model, root + "3", hidden);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += x[i];
  return out;
}

TEST(Mixvpr, AgreesWithItsEquations) {
  const model::MixvprHead heads[] = {{48, 63, 4, 63, 24, 4}, {20, 12, 2, 30, 7, 3}, {9, 6, 0, 6, 5, 2}};
  for (const auto& head : heads) {
    const auto model = testing::random_model({"mixvpr", head}, head.width, 51);
    testing::RandomMap map(3, head.cells / 3, head.width, 52);
    std::vector<Plain> channels;  // (width, cells)
    for (int c = 0; c < head.width; ++c) {
      Plain x;
      for (int cell = 0; cell < map.cells(); ++cell) x.push_back(map.at(cell, c));
      for (int i = 0; i < head.depth; ++i) x = mixed(model, "aggregator.mix." + std::to_string(i) + ".mix.", x);
      channels.push_back(x);
    }
    std::vector<Plain> fewer;  // (cells, channels)
    for (std::size_t cell = 0; cell < static_cast<std::size_t>(map.cells()); ++cell) {
      Plain x;
      for (const Plain& channel : channels) x.push_back(channel[cell]);
      fewer.push_back(testing::through(model, "aggregator.channel_proj", x));
    }
    Plain want;
    for (std::size_t c = 0; c < static_cast<std::size_t>(head.channels); ++c) {
      Plain x;
      for (const Plain& cell : fewer) x.push_back(cell[c]);
      const Plain row = testing::through(model, "aggregator.row_proj", x);
      want.insert(want.end(), row.begin(), row.end());
    }
    EXPECT_LT(testing::largest_difference(testing::described(model, map.features()), testing::unit(want)), 2e-6) << head.width;
  }
}

TEST(Mixvpr, RefusesAMapOfAnotherSizeInOneSentence) {
  const auto model = testing::random_model({"mixvpr", model::MixvprHead{5, 12, 1, 12, 3, 2}}, 5, 1);
  testing::RandomMap map(4, 4, 5, 2);
  try {
    testing::described(model, map.features());
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_STREQ(error.what(), "this MixVPR works on maps of 12 cells and no others, but the input gives one of 4x4");
  }
}

}  // namespace
}  // namespace revisit::aggregate

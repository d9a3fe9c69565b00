// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// SuperVLAD against its equations in double.
#include <gtest/gtest.h>

#include "engine/aggregate/test_heads.h"
#include "engine/model/supervlad_head.h"

namespace revisit::aggregate {
namespace {

using testing::Plain;

Plain plain_supervlad(const model::LoadedModel& model, const testing::RandomMap& map) {
  const auto& head = model.config.head.as<model::SupervladHead>();
  const int words = head.clusters + head.ghosts;
  std::vector<Plain> sums(static_cast<std::size_t>(head.clusters), Plain(static_cast<std::size_t>(map.width)));
  for (int cell = 0; cell < map.cells(); ++cell) {
    const Plain x = testing::unit_cell(map, cell);
    Plain share;
    double all = 0;
    for (int k = 0; k < words; ++k) {
      double score = 0;
      for (int c = 0; c < map.width; ++c) {
        score += testing::weight(model, "aggregator.conv.weight", k * map.width + c) * x[static_cast<std::size_t>(c)];
      }
      share.push_back(std::exp(score));
      all += share.back();
    }
    for (std::size_t k = 0; k < sums.size(); ++k) {
      for (std::size_t c = 0; c < x.size(); ++c) sums[k][c] += share[k] / all * x[c];
    }
  }
  Plain out;
  for (const Plain& sum : sums) {
    const Plain row = testing::unit(sum);
    out.insert(out.end(), row.begin(), row.end());
  }
  return testing::unit(out);
}

TEST(Supervlad, AgreesWithItsEquations) {
  const int sizes[][4] = {{4, 1, 24, 9}, {1, 2, 48, 16}, {7, 3, 13, 5}};  // words, ghosts, width, cells of a side
  for (const auto& [clusters, ghosts, width, side] : sizes) {
    const auto model = testing::random_model({model::kSupervlad, model::SupervladHead{clusters, ghosts, width}}, width, 3);
    testing::RandomMap map(side, side + 1, width, 4);
    EXPECT_LT(testing::largest_difference(testing::described(model, map.features()), plain_supervlad(model, map)), 2e-6);
  }
}

}  // namespace
}  // namespace revisit::aggregate

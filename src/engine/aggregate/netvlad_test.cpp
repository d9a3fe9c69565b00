// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// NetVLAD in both layouts against its equations in double.
#include <gtest/gtest.h>

#include "engine/aggregate/test_heads.h"
#include "engine/model/netvlad_head.h"

namespace revisit::aggregate {
namespace {

using testing::Plain;

/// V (words, width) flattened, at unit length, the word running fastest in the MATLAB layout.
Plain plain_netvlad(const model::LoadedModel& model, const testing::RandomMap& map) {
  const auto& head = model.config.head.as<model::NetvladHead>();
  const auto words = static_cast<std::size_t>(head.clusters), width = static_cast<std::size_t>(map.width);
  std::vector<Plain> sums(words, Plain(width));
  for (int cell = 0; cell < map.cells(); ++cell) {
    const Plain x = testing::unit_cell(map, cell);
    Plain share(words);
    double all = 0;
    for (std::size_t k = 0; k < words; ++k) {
      double score = 0;
      for (std::size_t c = 0; c < width; ++c) {
        score += testing::weight(model, "aggregator.conv.weight", static_cast<int>(k * width + c)) * x[c];
      }
      all += share[k] = std::exp(score);
    }
    for (std::size_t k = 0; k < words; ++k) {
      for (std::size_t c = 0; c < width; ++c) {
        const double centre = head.matlab() ? testing::weight(model, "aggregator.centers", static_cast<int>(c * words + k))
                                            : testing::weight(model, "aggregator.centroids", static_cast<int>(k * width + c));
        sums[k][c] += share[k] / all * (x[c] - centre);
      }
    }
  }
  Plain flat(words * width);
  for (std::size_t k = 0; k < words; ++k) {
    const Plain row = testing::unit(sums[k]);
    for (std::size_t c = 0; c < width; ++c) flat[head.matlab() ? c * words + k : k * width + c] = row[c];
  }
  return testing::unit(flat);
}

TEST(Netvlad, AgreesWithItsEquations) {
  const int sizes[][3] = {{16, 24, 9}, {64, 40, 15}, {3, 17, 4}};  // words, width, cells of a side
  for (const auto& [clusters, width, side] : sizes) {
    const auto model = testing::random_model({model::kNetvlad, model::NetvladHead{clusters, width}}, width, 31);
    testing::RandomMap map(side, side + 2, width, 32);
    EXPECT_LT(testing::largest_difference(testing::described(model, map.features()), plain_netvlad(model, map)), 2e-6);
  }
}

TEST(Netvlad, OfMatlabIsFlattenedTheOtherWayAndWhitened) {
  const int sizes[][3] = {{8, 20, 30}, {5, 9, 64}};  // words, width, descriptor
  for (const auto& [clusters, width, whitened] : sizes) {
    const auto model = testing::random_model({model::kNetvlad, model::NetvladHead{clusters, width, whitened}}, width, 33);
    testing::RandomMap map(6, 8, width, 34);
    const Plain want = testing::unit(testing::through(model, "aggregator.whiten", plain_netvlad(model, map)));
    EXPECT_LT(testing::largest_difference(testing::described(model, map.features()), want), 2e-6);
  }
}

}  // namespace
}  // namespace revisit::aggregate

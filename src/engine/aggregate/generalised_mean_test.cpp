// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// GeM and the head of CosPlace against their equations in double.
#include "engine/aggregate/generalised_mean.h"

#include <gtest/gtest.h>

#include "engine/aggregate/test_heads.h"
#include "engine/model/cosplace_head.h"
#include "engine/model/gem_head.h"
#include "revisit/error.h"

namespace revisit::aggregate {
namespace {

using testing::Plain;

Plain plain_mean(const std::vector<Plain>& cells, double exponent) {
  Plain out;
  for (std::size_t c = 0; c < cells.front().size(); ++c) {
    double sum = 0;
    for (const Plain& cell : cells) sum += std::pow(std::max(cell[c], 1e-6), exponent);
    out.push_back(std::pow(sum / static_cast<double>(cells.size()), 1 / exponent));
  }
  return out;
}

TEST(GeneralisedMean, WithATrainedExponentAgreesWithItsEquation) {
  for (const int width : {1, 63, 64, 65, 200}) {
    const auto model = testing::random_model({"gem", model::GemHead{width}}, width, static_cast<std::uint64_t>(width));
    testing::RandomMap map(5, 7, width, 9);
    std::vector<Plain> cells;
    for (int cell = 0; cell < map.cells(); ++cell) {
      cells.emplace_back();
      for (int c = 0; c < width; ++c) cells.back().push_back(map.at(cell, c));
    }
    const Plain want = testing::unit(plain_mean(cells, testing::weight(model, "aggregator.p", 0)));
    EXPECT_LT(testing::largest_difference(testing::described(model, map.features()), want), 1e-6) << width;
  }
}

TEST(GeneralisedMean, CountsACellByItsMass) {
  const std::vector<float> twice{1, 2, 1, 2, 3, 5}, once{1, 2, 3, 5}, mass{2, 1};
  std::vector<float> a(2), b(2);
  generalised_mean({twice.data(), 3, 2, 2}, {}, 2.5, a.data());
  generalised_mean({once.data(), 2, 2, 2}, mass, 2.5, b.data());
  EXPECT_FLOAT_EQ(a[0], b[0]);
  EXPECT_FLOAT_EQ(a[1], b[1]);
}

TEST(GeneralisedMean, RefusesAnExponentThatIsNoPositiveNumber) {
  for (const float exponent : {0.0F, -3.0F, std::numeric_limits<float>::quiet_NaN(), 1000.0F}) {
    model::LoadedModel model;
    model.config.vit().width = 4;
    model.config.head = {"gem", model::GemHead{4}};
    model.weights.add_f32("aggregator.p", {1}, {exponent});
    EXPECT_THROW(make_aggregator(model, std::nullopt), Error) << exponent;
  }
}

TEST(Cosplace, AgreesWithItsEquations) {
  for (const auto& [width, dim] : {std::pair{48, 20}, {17, 64}, {130, 3}}) {
    const auto model = testing::random_model({"cosplace", model::CosplaceHead{width, dim}}, width, 5);
    testing::RandomMap map(6, 4, width, 2);
    std::vector<Plain> cells;
    for (int cell = 0; cell < map.cells(); ++cell) cells.push_back(testing::unit_cell(map, cell));
    const Plain pooled = plain_mean(cells, testing::weight(model, "aggregator.gem.p", 0));
    const Plain want = testing::unit(testing::through(model, "aggregator.fc", pooled));
    EXPECT_LT(testing::largest_difference(testing::described(model, map.features()), want), 1e-6) << width;
  }
}

}  // namespace
}  // namespace revisit::aggregate

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Convolutions of random shapes against plain loops, in every precision, with any number of threads.
#include "core/tensor/convolution.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/tensor/parallel.h"
#include "core/tensor/test_values.h"

namespace revisit::tensor {
namespace {

struct Case {
  int rows, columns, in, out;
  Window window;
  Linear::After after;
};

std::string text_of(const Case& one) {
  return fmt::format("{}x{}x{} -> {}, window {} stride {} padding {}, after {}", one.rows, one.columns, one.in, one.out,
                     one.window.side, one.window.stride, one.window.padding, static_cast<int>(one.after));
}

Case random_case(Random& random) {
  constexpr Linear::After kAfters[] = {Linear::After::kNothing, Linear::After::kRelu, Linear::After::kAdd,
                                       Linear::After::kAddRelu};
  Case one;
  one.window.side = random.between(1, 7);
  one.window.stride = random.between(1, 3);
  one.window.padding = random.between(0, one.window.side - 1);
  one.rows = random.between(std::max(1, one.window.side - 2 * one.window.padding), 23);
  one.columns = random.between(std::max(1, one.window.side - 2 * one.window.padding), 23);
  one.in = random.between(1, 40);
  one.out = random.between(1, 70);
  one.after = kAfters[random.between(0, 3)];
  return one;
}

/// The results by the kernel and by the reference.
std::pair<std::vector<float>, std::vector<float>> run(const Case& one, Random& random, Precision precision, int team) {
  const Team threads(team);
  auto x = random.values(one.rows * one.columns * one.in);
  const auto weight = random.values(one.out * one.in * one.window.side * one.window.side);
  const auto bias = random.values(one.out);
  const FeatureMap map{view(x, one.rows * one.columns, one.in), one.rows, one.columns};
  const int rows = one.window.places(one.rows), columns = one.window.places(one.columns);
  auto got = random.values(rows * columns * one.out);
  auto want = got;
  Arena arena;
  const Convolution convolution(weight.data(), bias.data(), one.in, one.out, one.window, one.after, precision);
  const FeatureMap made = convolution.made_for(map, arena);
  EXPECT_EQ(made.rows, rows);
  EXPECT_EQ(made.columns, columns);
  convolution(map, {view(got, rows * columns, one.out), rows, columns}, arena);
  reference::convolution(map, weight.data(), bias.data(), one.window, one.after,
                         {view(want, rows * columns, one.out), rows, columns});
  return {got, want};
}

TEST(Convolution, AgreesWithPlainLoopsOverRandomShapes) {
  Random random;
  for (int i = 0; i < 150; ++i) {
    const Case one = random_case(random);
    const auto [got, want] = run(one, random, Precision::kF32, 1 + i % 3);
    EXPECT_LT(relative_error(got, want), kTolerance) << text_of(one);
  }
}

TEST(Convolution, OfLargeMapsIsCutIntoTilesThatChangeNothing) {
  const Case one{61, 83, 19, 37, {3, 1, 1}, Linear::After::kRelu};
  std::vector<std::vector<float>> results;
  for (const int team : {1, 2, 3}) {
    Random random;
    const auto [got, want] = run(one, random, Precision::kF32, team);
    EXPECT_LT(relative_error(got, want), kTolerance);
    results.push_back(got);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Convolution, InNarrowNumbersIsNear) {
  Random random;
  for (int i = 0; i < 20; ++i) {
    const Case one = random_case(random);
    for (const Precision precision : {Precision::kBf16, Precision::kInt8}) {
      const auto [got, want] = run(one, random, precision, 2);
      EXPECT_LT(relative_error(got, want), 0.05) << text_of(one);
    }
  }
}

TEST(MaxPool, AgreesWithPlainLoopsOverRandomShapes) {
  Random random;
  for (int i = 0; i < 60; ++i) {
    Case one = random_case(random);
    one.window.padding = std::min(one.window.padding, one.window.side / 2);
    one.rows = std::max(one.rows, one.window.side);
    one.columns = std::max(one.columns, one.window.side);
    auto x = random.values(one.rows * one.columns * one.in);
    const FeatureMap map{view(x, one.rows * one.columns, one.in), one.rows, one.columns};
    Arena arena;
    const FeatureMap got = max_pool(map, one.window, arena);
    std::vector<float> want(static_cast<std::size_t>(got.cells.rows * got.cells.cols));
    reference::max_pool(map, one.window, {view(want, got.cells.rows, got.cells.cols), got.rows, got.columns});
    EXPECT_EQ(std::vector<float>(got.cells.data, got.cells.data + want.size()), want) << text_of(one);
  }
}

TEST(ToCells, PutsTheChannelsOfACellTogether) {
  const std::vector<float> planes{1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60};
  Arena arena;
  const FeatureMap map = to_cells(planes.data(), 2, 2, 3, arena);
  EXPECT_EQ(std::vector<float>(map.cells.data, map.cells.data + 12),
            (std::vector<float>{1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60}));
}

TEST(Window, DoesNotFitIntoLessThanItself) {
  EXPECT_EQ((Window{3, 1, 0}.places(2)), 0);
  EXPECT_EQ((Window{2, 2, 0}.places(1)), 0);
  EXPECT_EQ((Window{7, 2, 3}.places(1)), 1);
  EXPECT_EQ((Window{3, 2, 1}.places(75)), 38);
}

}  // namespace
}  // namespace revisit::tensor

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/tiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/random.h"
#include "core/tensor/parallel.h"

namespace revisit::tensor {
namespace {

/// rows x cols values with something in the margin that spoils every sum it gets into.
constexpr int kMargin = 3;
std::vector<float> values(int rows, int cols, std::uint64_t seed) {
  SplitMix random(seed);
  std::vector<float> out(static_cast<std::size_t>((rows + 1) * (cols + kMargin)), std::numeric_limits<float>::quiet_NaN());
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c)
      out[static_cast<std::size_t>(r * (cols + kMargin) + c)] = static_cast<float>(2 * random.uniform() - 1);
  }
  return out;
}

TEST(Tiles, RoundToTheNearestBfloatToEven) {
  EXPECT_EQ(reference::to_bfloat(1.0F), 1.0F);
  EXPECT_EQ(reference::to_bfloat(1.0F + 1.0F / 256), 1.0F);               // a tie, down to even
  EXPECT_EQ(reference::to_bfloat(1.0F + 3.0F / 256), 1.0F + 4.0F / 256);  // a tie, up to even
  EXPECT_EQ(reference::to_bfloat(-1.0F - 1.1F / 256), -1.0F - 2.0F / 256);
  EXPECT_TRUE(std::isnan(reference::to_bfloat(std::numeric_limits<float>::quiet_NaN())));
}

/// Every way the operands may lie in memory, at sizes around those of a tile; what lies beside the result stays as it is.
TEST(Tiles, ProductsAreThoseOfPlainLoops) {
  if (!bfloat_products_usable()) GTEST_SKIP() << "this processor has no bfloat16 products (AVX-512 BF16 or AMX)";
  constexpr float kBeside = 7.0F;
  struct Shape {
    int m, n, k;
  };
  for (const auto [m, n, k] :
       {Shape{1, 1, 1}, {16, 16, 32}, {17, 33, 31}, {32, 32, 33}, {33, 15, 64}, {48, 47, 5}, {257, 257, 64}, {70, 50, 2100}}) {
    for (const bool left : {false, true}) {
      for (const bool right : {false, true}) {
        const auto a = left ? values(k, m, 1) : values(m, k, 1), b = right ? values(n, k, 2) : values(k, n, 2);
        const TileOperand a_of{a.data(), (left ? m : k) + kMargin, left}, b_of{b.data(), (right ? k : n) + kMargin, right};
        const int stride = n + kMargin;
        std::vector<float> expected(static_cast<std::size_t>(m * stride), kBeside), c = expected, here = expected;
        reference::tile_product(m, n, k, a_of, b_of, expected.data(), stride);
        tile_product(m, n, k, a_of, b_of, c.data(), stride);
        TileScratch scratch;
        tile_product_here(m, n, k, a_of, b_of, here.data(), stride, scratch);
        EXPECT_EQ(c, here);
        double worst = 0;
        for (std::size_t i = 0; i < c.size(); ++i) worst = std::max(worst, std::abs(double{c[i]} - double{expected[i]}));
        EXPECT_LE(worst, 1e-6 * std::sqrt(k) * 4) << m << "x" << n << "x" << k << " " << left << right;
        for (int r = 0; r < m; ++r) EXPECT_EQ(c[static_cast<std::size_t>(r * stride + n)], kBeside);
      }
    }
  }
}

TEST(Tiles, AnyNumberOfThreadsGivesTheSameBits) {
  if (!bfloat_products_usable()) GTEST_SKIP() << "this processor has no bfloat16 products (AVX-512 BF16 or AMX)";
  constexpr int kM = 300, kN = 130, kK = 200;
  const auto a = values(kM, kK, 1), b = values(kK, kN, 2);
  std::vector<std::vector<float>> results;
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    auto& c = results.emplace_back(static_cast<std::size_t>(kM * kN));
    tile_product(kM, kN, kK, {a.data(), kK + kMargin, false}, {b.data(), kN + kMargin, false}, c.data(), kN);
  }
  set_threads(0);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

}  // namespace
}  // namespace revisit::tensor

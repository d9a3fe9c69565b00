// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "retrieval/search/scan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

namespace revisit::retrieval {
namespace {

TEST(Scan, IntegerProductsAreThoseOfPlainLoopsForAnyNumberOfRowsAndQueries) {
  std::mt19937 random(1);
  for (const int count : {64, 128, 192, 2048, 2112, 8448}) {
    for (int rows = 1; rows <= 7; ++rows) {
      for (int queries = 1; queries <= 9; ++queries) {
        const std::size_t stride = static_cast<std::size_t>(count) + 16;
        std::vector<std::int8_t> codes(static_cast<std::size_t>(rows) * stride);
        std::vector<std::int16_t> query(static_cast<std::size_t>(queries) * static_cast<std::size_t>(count));
        for (auto& c : codes) c = static_cast<std::int8_t>(static_cast<int>(random() % 255) - 127);
        for (auto& q : query) q = static_cast<std::int16_t>(static_cast<int>(random() % 2001) - 1000);
        std::vector<std::int32_t> fast(static_cast<std::size_t>(rows * queries)), plain = fast;
        integer_products(codes.data(), stride, rows, query.data(), queries, count, fast.data());
        reference::integer_products(codes.data(), stride, rows, query.data(), queries, count, plain.data());
        ASSERT_EQ(fast, plain) << count << " codes, " << rows << " rows, " << queries << " queries";
      }
    }
  }
}

TEST(Scan, DistanceAgreesWithPlainLoopsOverOddLengths) {
  std::mt19937 random(2);
  std::normal_distribution<float> normal;
  for (int count = 1; count < 200; ++count) {
    std::vector<float> a(static_cast<std::size_t>(count)), b = a;
    for (auto& v : a) v = normal(random);
    for (auto& v : b) v = normal(random);
    const Distance fast = distance(a.data(), b.data(), count);
    const Distance plain = reference::distance(a.data(), b.data(), count);
    EXPECT_NEAR(fast.squared, plain.squared, 1e-12 * plain.squared);
    EXPECT_NEAR(fast.dot, plain.dot, 1e-12 * (plain.squared + std::abs(plain.dot)));
    EXPECT_EQ(distance(a.data(), a.data(), count).squared, 0);
    EXPECT_NEAR(rough_squared_distance(a.data(), b.data(), count), plain.squared, 1e-5 * plain.squared);
  }
}

}  // namespace
}  // namespace revisit::retrieval

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "retrieval/files/quantise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "retrieval/files/layout.h"
#include "retrieval/search/scan.h"

namespace revisit::retrieval {
namespace {

std::vector<float> random_vector(std::mt19937& random, int dim, int kind) {
  std::normal_distribution<float> normal;
  std::vector<float> out(static_cast<std::size_t>(dim));
  for (auto& v : out) {
    v = normal(random);
    if (kind == 1) v = v * v * v * v * v;              // a few large values
    if (kind == 2) v *= 1e-30F;                        // tiny
    if (kind == 3) v *= 1e18F;                         // huge
    if (kind == 4) v = random() % 50 == 0 ? v : 0.0F;  // mostly zero
    if (kind == 5) v = std::numeric_limits<float>::denorm_min() * static_cast<float>(random() % 5);
    if (kind == 6) v = 0;
    if (kind == 7) v = 1;
  }
  return out;
}

TEST(Quantise, TheLowerBoundHoldsForEveryKindOfRowAndQuery) {
  std::mt19937 random(3);
  int pairs = 0;
  for (int round = 0; round < 40; ++round) {
    for (int row_kind = 0; row_kind < 8; ++row_kind) {
      for (int query_kind = 0; query_kind < 8; ++query_kind) {
        const int dim = 1 + static_cast<int>(random() % 300);
        const auto x = random_vector(random, dim, row_kind);
        const auto q = random_vector(random, dim, query_kind);
        std::vector<std::int8_t> codes(padded_dim(dim));
        std::vector<std::int16_t> query_codes(padded_dim(dim));
        const CodeRow row = quantise_row(x, codes);
        const QueryCodes query = quantise_query(q, query_codes);
        std::int32_t product = 0;
        integer_products(codes.data(), codes.size(), 1, query_codes.data(), 1, static_cast<int>(codes.size()), &product);
        const Estimate guess = estimate(query, std::sqrt(query.squared_norm), row, std::sqrt(row.squared_norm), product);
        const double truth = reference::distance(q.data(), x.data(), dim).squared;
        ASSERT_LE(guess.lower, truth) << "row kind " << row_kind << ", query kind " << query_kind << ", dim " << dim;
        ASSERT_GE(static_cast<double>(row.residual), residual_norm(x, row, codes.data()));
        ++pairs;
      }
    }
  }
  EXPECT_EQ(pairs, 40 * 64);
}

TEST(Quantise, TheBoundIsTightEnoughToBeOfUse) {
  std::mt19937 random(4);
  const int dim = 8448;
  auto x = random_vector(random, dim, 0);
  for (auto& v : x) v /= std::sqrt(static_cast<float>(dim));
  std::vector<std::int8_t> codes(padded_dim(dim));
  const CodeRow row = quantise_row(x, codes);
  EXPECT_LT(row.residual, 0.012F);  // 4 sigma / 127 / sqrt(12)
  std::vector<std::int16_t> query_codes(padded_dim(dim));
  EXPECT_LT(quantise_query(x, query_codes).residual, 3e-4);
}

TEST(Quantise, ProductsStayWithin32BitsForTheWorstRowOfEveryDim) {
  for (const int dim : {1, 64, 1000, 8448, 65'536}) {
    // Cauchy-Schwarz is met with equality: row and query are parallel and every code of the row is 127.
    const std::vector<float> ones(static_cast<std::size_t>(dim), 1.0F);
    std::vector<std::int8_t> codes(padded_dim(dim));
    std::vector<std::int16_t> query_codes(padded_dim(dim));
    quantise_row(ones, codes);
    const QueryCodes query = quantise_query(ones, query_codes);
    ASSERT_EQ(codes[0], 127);
    std::int64_t exact = 0;
    for (int i = 0; i < dim; ++i)
      exact += std::int64_t{codes[static_cast<std::size_t>(i)]} * query_codes[static_cast<std::size_t>(i)];
    std::int32_t product = 0;
    integer_products(codes.data(), codes.size(), 1, query_codes.data(), 1, static_cast<int>(codes.size()), &product);
    EXPECT_EQ(product, exact) << dim;
    EXPECT_LE(query.residual, 0.01 * std::sqrt(query.squared_norm)) << dim;
  }
}

TEST(Quantise, ARowWithNumbersThatAreNoneGetsNoBound) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const std::vector<float> row = {0.5F, bad, -0.5F};
    std::vector<std::int8_t> codes(64);
    EXPECT_TRUE(std::isnan(quantise_row(row, codes).residual)) << bad;
    std::vector<std::int16_t> query_codes(64);
    EXPECT_TRUE(std::isnan(quantise_query(row, query_codes).residual)) << bad;
  }
}

}  // namespace
}  // namespace revisit::retrieval

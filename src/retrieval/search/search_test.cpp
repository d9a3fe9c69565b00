// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Searches in memory against an oracle that sorts all double-precision distances.
#include "retrieval/search/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "retrieval/files/quantise.h"
#include "retrieval/files/row_file.h"
#include "retrieval/search/scan.h"
#include "core/tensor/parallel.h"

namespace revisit::retrieval {
namespace {

using Mode = SearchOptions::Mode;

struct Collection {
  int dim;
  std::vector<float> rows;
  std::vector<std::byte> codes;

  // Rows around a few centres, as photos of a few places are.
  Collection(int count, int dim_, int centres, float noise, unsigned seed) : dim(dim_) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> places(static_cast<std::size_t>(centres * dim));
    for (auto& v : places) v = normal(random);
    for (int r = 0; r < count; ++r) {
      std::vector<float> row(static_cast<std::size_t>(dim));
      const auto centre = static_cast<std::size_t>(static_cast<int>(random() % static_cast<unsigned>(centres)) * dim);
      double squares = 0;
      for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = places[centre + i] + noise * normal(random);
        squares += static_cast<double>(row[i]) * static_cast<double>(row[i]);
      }
      for (auto& v : row) v = static_cast<float>(v / std::sqrt(squares));
      rows.insert(rows.end(), row.begin(), row.end());
    }
    encode();
  }

  void encode() {
    codes.clear();
    std::vector<std::byte> one;
    for (int r = 0; r < count(); ++r) {
      encode_codes(row(r), one);
      codes.insert(codes.end(), one.begin(), one.end());
    }
  }

  int count() const { return static_cast<int>(rows.size()) / dim; }
  std::span<const float> row(int r) const {
    return std::span(rows).subspan(static_cast<std::size_t>(r * dim), static_cast<std::size_t>(dim));
  }
  SearchSpace space() const {
    return {dim, rows.data(), codes.data(), kCodeRowBytes + padded_dim(dim), count(), 0, count(), nullptr};
  }
};

// Row numbers and distances, best first, by (f32 distance, row).
std::vector<Match> oracle(const SearchSpace& space, const float* query, int top_k) {
  std::vector<Match> all;
  for (int r = space.first; r < space.end; ++r) {
    if (space.wanted != nullptr && space.wanted[r] == 0) continue;
    const double squared = reference::distance(query, space.rows + static_cast<std::ptrdiff_t>(r) * space.dim, space.dim).squared;
    all.push_back({r, static_cast<float>(std::sqrt(squared)), 0});
  }
  std::sort(all.begin(), all.end(),
            [](const Match& a, const Match& b) { return a.distance != b.distance ? a.distance < b.distance : a.row < b.row; });
  if (all.size() > static_cast<std::size_t>(top_k)) all.resize(static_cast<std::size_t>(top_k));
  return all;
}

void expect_equal_to_oracle(const SearchSpace& space, std::span<const float> queries, int top_k) {
  SearchStats stats;
  const auto found = search(space, queries, top_k, Mode::kExact, stats);
  ASSERT_EQ(found.size(), queries.size() / static_cast<std::size_t>(space.dim));
  for (std::size_t j = 0; j < found.size(); ++j) {
    const auto want = oracle(space, queries.data() + j * static_cast<std::size_t>(space.dim), top_k);
    ASSERT_EQ(found[j].size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      // Sums in another order may swap rows whose distances differ in the last bit.
      ASSERT_NEAR(found[j][i].distance, want[i].distance, 1e-6F) << "query " << j << " rank " << i + 1;
      if (found[j][i].row != want[i].row) {
        const double other = reference::distance(queries.data() + j * static_cast<std::size_t>(space.dim),
                                                 space.rows + static_cast<std::ptrdiff_t>(found[j][i].row) * space.dim, space.dim)
                                 .squared;
        ASSERT_NEAR(std::sqrt(other), want[i].distance, 1e-6) << "query " << j << " rank " << i + 1;
      }
    }
  }
}

TEST(Search, ExactEqualsAFullScanForAnyDimNoiseAndNumberOfMatches) {
  unsigned seed = 0;
  for (const int dim : {1, 3, 16, 64, 100, 513}) {
    for (const float noise : {0.01F, 0.3F, 2.0F}) {
      for (const int top_k : {1, 10, 200}) {
        const Collection some(700, dim, 20, noise, ++seed);
        const Collection queries(5, dim, 20, noise, seed);  // the same centres
        expect_equal_to_oracle(some.space(), queries.rows, top_k);
      }
    }
  }
}

TEST(Search, ExactHoldsForRowsThatAreNoUnitVectors) {
  Collection some(500, 40, 10, 0.5F, 11);
  for (std::size_t i = 0; i < some.rows.size(); ++i) some.rows[i] *= static_cast<float>(1 + (i / 40) % 7);
  some.encode();
  expect_equal_to_oracle(some.space(), std::span(some.rows).first(10 * 40), 10);
}

TEST(Search, RowsOfEqualDistanceComeInTheOrderOfTheirNumbers) {
  Collection some(300, 32, 3, 0.0F, 5);  // only three different rows, up to rounding
  for (int r = 0; r < 300; ++r) {
    const auto first = some.row(r % 3);
    const std::vector<float> copy(first.begin(), first.end());
    std::copy(copy.begin(), copy.end(), some.rows.begin() + r * 32);
  }
  some.encode();
  for (const Mode mode : {Mode::kExact, Mode::kFast}) {
    SearchStats stats;
    const auto found = search(some.space(), some.row(1), 40, mode, stats);
    ASSERT_EQ(found[0].size(), 40U);
    for (std::size_t i = 0; i < 40; ++i) {
      EXPECT_EQ(found[0][i].distance, 0.0F);
      EXPECT_TRUE(i == 0 || found[0][i - 1].row < found[0][i].row);
    }
  }
}

TEST(Search, AnswersDoNotDependOnThreadsNorOnOtherQueriesOfTheBatch) {
  const Collection some(1000, 96, 30, 0.4F, 6);
  const Collection queries(37, 96, 30, 0.4F, 7);
  const int before = tensor::threads();
  for (const Mode mode : {Mode::kExact, Mode::kFast}) {
    SearchStats stats;
    tensor::set_threads(2);
    const auto together = search(some.space(), queries.rows, 10, mode, stats);
    tensor::set_threads(1);
    for (int j = 0; j < 37; ++j) {
      const auto alone = search(some.space(), queries.row(j), 10, mode, stats);
      ASSERT_EQ(alone[0].size(), together[static_cast<std::size_t>(j)].size());
      for (std::size_t i = 0; i < alone[0].size(); ++i) {
        EXPECT_EQ(alone[0][i].row, together[static_cast<std::size_t>(j)][i].row);
        EXPECT_EQ(alone[0][i].distance, together[static_cast<std::size_t>(j)][i].distance);
        EXPECT_EQ(alone[0][i].similarity, together[static_cast<std::size_t>(j)][i].similarity);
      }
    }
  }
  tensor::set_threads(before);
}

TEST(Search, RangesAndLeftOutRowsAreRespected) {
  const Collection some(400, 48, 5, 0.2F, 8);
  std::vector<std::uint8_t> wanted(400, 0);
  for (std::size_t r = 0; r < 400; ++r) wanted[r] = r % 3 == 0 || (r > 100 && r < 140);
  SearchSpace space = some.space();
  space.wanted = wanted.data();
  space.first = 50;
  space.end = 333;
  expect_equal_to_oracle(space, some.row(60), 25);
  SearchStats stats;
  search(space, some.row(60), 25, Mode::kExact, stats);
  EXPECT_EQ(stats.rows_scanned, std::count(wanted.begin() + 50, wanted.begin() + 333, 1));
  space.end = space.first;
  EXPECT_TRUE(search(space, some.row(0), 5, Mode::kExact, stats)[0].empty());
}

TEST(Search, RowsWithoutCodesAreFoundAllTheSame) {
  const Collection some(300, 20, 5, 0.3F, 9);
  for (const int coded : {0, 1, 150, 299}) {
    SearchSpace space = some.space();
    space.coded = coded;
    if (coded == 0) space.codes = nullptr;
    expect_equal_to_oracle(space, some.row(250), 12);
    SearchStats stats;
    EXPECT_EQ(search(space, some.row(299), 1, Mode::kFast, stats)[0][0].row, 299);
  }
}

TEST(Search, ARowThatIsNotTheOneItsCodesTellOfIsNoticed) {
  Collection some(200, 32, 200, 0.0F, 10);
  std::vector<std::byte> row;
  const CodeRow broken{std::numeric_limits<float>::quiet_NaN(), 0, 1};
  std::memcpy(some.codes.data() + 77 * (kCodeRowBytes + padded_dim(32)), &broken, sizeof(broken));
  SearchStats stats;
  const auto damaged_row = [&](Mode mode) {
    try {
      search(some.space(), some.row(77), 1, mode, stats);
    } catch (const CodesDisagree& damage) {
      return damage.row;
    }
    return -1;
  };
  EXPECT_EQ(search(some.space(), some.row(77), 1, Mode::kExact, stats)[0][0].row, 77) << "compared rather than lost";
  encode_codes({some.rows.data() + 77 * 32, 32}, row);
  std::memcpy(some.codes.data() + 77 * row.size(), row.data(), row.size());
  EXPECT_EQ(damaged_row(Mode::kExact), -1);
  some.rows[77 * 32 + 5] += 0.25F;  // another length
  EXPECT_EQ(damaged_row(Mode::kExact), 77);
  EXPECT_EQ(damaged_row(Mode::kFast), 77);
}

TEST(Search, FastComparesFiftyRowsAndExactNotManyMore) {
  const Collection some(3000, 256, 300, 0.5F, 12);
  const Collection queries(20, 256, 300, 0.5F, 12);
  SearchStats fast, exact;
  const auto a = search(some.space(), queries.rows, 10, Mode::kFast, fast);
  const auto b = search(some.space(), queries.rows, 10, Mode::kExact, exact);
  EXPECT_EQ(fast.rows_reranked, 20 * 50);
  EXPECT_EQ(fast.rows_scanned, 20 * 3000);
  EXPECT_LT(exact.rows_reranked, 20 * 300);
  for (std::size_t j = 0; j < 20; ++j) EXPECT_EQ(a[j][0].row, b[j][0].row);
}

TEST(Search, SimilarityIsTheCosine) {
  const Collection some(50, 24, 50, 0.0F, 13);
  SearchStats stats;
  const auto found = search(some.space(), some.row(4), 50, Mode::kExact, stats)[0];
  EXPECT_EQ(found[0].row, 4);
  EXPECT_FLOAT_EQ(found[0].similarity, 1);
  for (const Match& match : found) EXPECT_NEAR(match.similarity, 1 - match.distance * match.distance / 2, 1e-6F);
}

}  // namespace
}  // namespace revisit::retrieval

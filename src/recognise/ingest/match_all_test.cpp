// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/random.h"
#include "revisit/ingest.h"

namespace revisit {
namespace {

DescribedPhotos random_rows(int count, int dim, std::uint64_t seed) {
  SplitMix random(seed);
  DescribedPhotos out;
  out.dim = dim;
  for (int i = 0; i < count; ++i) {
    std::vector<double> row(static_cast<std::size_t>(dim));
    double squares = 0;
    for (double& x : row) {
      x = random.uniform() - 0.5;
      squares += x * x;
    }
    for (const double x : row) out.rows.push_back(static_cast<float>(x / std::sqrt(squares)));
  }
  return out;
}

// Plain loops over everything, in double.
std::vector<Match> slow(const DescribedPhotos& queries, int q, const DescribedPhotos& references, int top_k) {
  std::vector<Match> all;
  const int count = static_cast<int>(references.rows.size()) / references.dim;
  for (int r = 0; r < count; ++r) {
    double squared = 0, dot = 0;
    for (int d = 0; d < queries.dim; ++d) {
      const double a = static_cast<double>(queries.rows[static_cast<std::size_t>(q * queries.dim + d)]);
      const double b = static_cast<double>(references.rows[static_cast<std::size_t>(r * queries.dim + d)]);
      squared += (a - b) * (a - b);
      dot += a * b;
    }
    all.push_back({r, static_cast<float>(std::sqrt(squared)), static_cast<float>(dot)});
  }
  std::ranges::stable_sort(all, {}, &Match::distance);
  all.resize(std::min(all.size(), static_cast<std::size_t>(top_k)));
  return all;
}

TEST(MatchAll, EqualsAPlainScanForOddSizes) {
  for (const int dim : {1, 17, 64, 200}) {
    const auto queries = random_rows(37, dim, 1), references = random_rows(211, dim, 2);
    const auto got = match_all(queries, references, 10);
    ASSERT_EQ(got.size(), 37U);
    for (int q = 0; q < 37; ++q) {
      const auto want = slow(queries, q, references, 10);
      const auto& have = got[static_cast<std::size_t>(q)];
      ASSERT_EQ(have.size(), want.size());
      for (std::size_t i = 0; i < want.size(); ++i) {
        EXPECT_EQ(have[i].row, want[i].row) << "dim " << dim << ", query " << q << ", rank " << i + 1;
        EXPECT_FLOAT_EQ(have[i].distance, want[i].distance);
        EXPECT_NEAR(have[i].similarity, want[i].similarity, 1e-6);
      }
    }
  }
}

TEST(MatchAll, GivesTiesByReference) {
  auto references = random_rows(5, 8, 3);
  std::copy_n(references.rows.begin() + 8, 8, references.rows.begin() + 32);  // row 4 is row 1 again
  DescribedPhotos query{8, {references.rows.begin() + 8, references.rows.begin() + 16}, {}, {}, 0, 0};
  const auto got = match_all(query, references, 2);
  ASSERT_EQ(got[0].size(), 2U);
  EXPECT_EQ(got[0][0].row, 1);
  EXPECT_EQ(got[0][1].row, 4);
  EXPECT_EQ(got[0][0].distance, 0.0F);
}

TEST(MatchAll, SkippedPhotosMatchNothingAndAreNoMatch) {
  auto queries = random_rows(3, 4, 4), references = random_rows(6, 4, 5);
  std::fill_n(queries.rows.begin() + 4, 4, 0.0F);
  std::fill_n(references.rows.begin() + 8, 4, 0.0F);
  const auto got = match_all(queries, references, 100);
  EXPECT_TRUE(got[1].empty());
  for (const int q : {0, 2}) {
    const auto& list = got[static_cast<std::size_t>(q)];
    EXPECT_EQ(list.size(), 5U);
    EXPECT_TRUE(std::ranges::none_of(list, [](const Match& match) { return match.row == 2; }));
  }
}

TEST(MatchAll, LeavesOutWhatAQueryDoesNotWant) {
  const auto photos = random_rows(20, 16, 6);
  const auto got = match_all(photos, photos, 3, [](int q, int r) { return r <= q - 5; });
  for (int q = 0; q < 20; ++q) {
    const auto& list = got[static_cast<std::size_t>(q)];
    EXPECT_EQ(static_cast<int>(list.size()), std::clamp(q - 4, 0, 3));
    for (const auto& match : list) EXPECT_LE(match.row, q - 5);
  }
}

TEST(MatchAll, RefusesWhatDoesNotBelongTogether) {
  auto queries = random_rows(2, 4, 7);
  EXPECT_THROW(match_all(queries, random_rows(2, 5, 8), 1), Error);
  EXPECT_THROW(match_all(queries, random_rows(2, 4, 8), 0), Error);
  queries.rows[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(match_all(queries, random_rows(2, 4, 8), 1), Error);
}

}  // namespace
}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Means, spreads and paired differences of a comparison, and its configuration.
#include "revisit/lab/compare.h"

#include <gtest/gtest.h>

#include "revisit/error.h"

namespace revisit {
namespace {

CompareCell cell_with(int hits, int queries) {
  CompareCell out;
  for (int q = 0; q < queries; ++q) out.ranks.push_back(q < hits ? 1 : q % 2 == 0 ? 3 : 0);
  return out;
}

TEST(Compare, RecallIsAMeanOverRepetitionsThenOverDataSets) {
  CompareLine line{"a", 1, {{cell_with(5, 10), cell_with(10, 100)}, {cell_with(7, 10), cell_with(20, 100)}}};
  EXPECT_DOUBLE_EQ(recall_of(line, 0, 1).mean, 60);
  EXPECT_NEAR(recall_of(line, 0, 1).deviation, 14.142, 1e-3);
  EXPECT_DOUBLE_EQ(mean_recall_of(line, 1).mean, (60.0 + 15.0) / 2) << "data sets count the same whatever their size";
  EXPECT_NEAR(mean_recall_of(line, 1).deviation, 10.607, 1e-3) << "30 and 45";
  EXPECT_DOUBLE_EQ(recall_of(line, 1, 2).mean, 15) << "rank 3 is beyond 2";
  EXPECT_GT(recall_of(line, 1, 3).mean, 50);
}

TEST(Compare, ADifferenceIsAsSureAsTheQueriesThatDiffer) {
  const CompareLine better{"better", 1, {{cell_with(70, 100)}}}, worse{"worse", 1, {{cell_with(60, 100)}}};
  const PairedDifference paired = paired_difference(better, worse, 1);
  EXPECT_DOUBLE_EQ(paired.percent, 10);
  // Ten queries of a hundred differ, all in one direction: 10 plus and minus 1.96 sqrt(100 0.1 0.9).
  EXPECT_NEAR(paired.low95, 4.1, 1.2);
  EXPECT_NEAR(paired.high95, 15.9, 1.2);
  const PairedDifference none = paired_difference(better, better, 1);
  EXPECT_EQ(none.percent, 0);
  EXPECT_EQ(none.low95, 0);
  EXPECT_EQ(none.high95, 0);
  const PairedDifference back = paired_difference(worse, better, 1);
  EXPECT_NEAR(back.high95, -paired.low95, 1.5);
  const CompareLine other{"other", 1, {{cell_with(6, 10)}}};
  EXPECT_THROW(paired_difference(better, other, 1), Error);
}

constexpr const char* kSound = R"(
name = "mine"
recall_values = [10, 1]
[[dataset]]
name = "day"
queries = "q"
references = "r"
gt = "gt.csv"
[[row]]
name = "WeiToP"
models = ["m.safetensors", "demo"]
rho = [1, 0.5]
size = "98x112"
spread = 3
[[row]]
name = "random"
models = ["demo"]
rho = [0.5]
prune = "random"
seeds = 5
[[difference]]
of = "WeiToP"
from = "random"
rho = 0.5
)";

CompareConfig parsed(const std::string& toml) { return parse_compare_config(toml, "c.toml", "/photos"); }

std::string refused(std::string toml, const std::string& from, const std::string& to) {
  toml.replace(toml.find(from), from.size(), to);
  try {
    parsed(toml);
  } catch (const Error& error) {
    EXPECT_EQ(exit_code_of(error.code()), 2);
    return error.what();
  }
  return "accepted";
}

TEST(CompareConfig, IsReadFromToml) {
  const CompareConfig config = parsed(kSound);
  EXPECT_EQ(config.recall_values, (std::vector<int>{1, 10}));
  EXPECT_EQ(config.datasets.at(0).folders.queries, "/photos/q");
  EXPECT_EQ(config.datasets.at(0).folders.gt, "/photos/gt.csv");
  EXPECT_EQ(config.rows.at(0).models, (std::vector<std::string>{"/photos/m.safetensors", "demo"}));
  EXPECT_EQ(config.rows.at(0).spec.size, (Size{98, 112}));
  EXPECT_EQ(config.rows.at(0).spec.spread, 3);
  EXPECT_EQ(config.rows.at(1).seeds, 5);
  EXPECT_EQ(config.rows.at(1).spec.prune, "random");
  EXPECT_EQ(config.differences.at(0).from_rho, 0.5);
}

TEST(CompareConfig, WhatCannotBeMeantIsRefusedByName) {
  EXPECT_NE(refused(kSound, "spread = 3", "spread = 65").find("spread"), std::string::npos);
  EXPECT_NE(
      refused(kSound, "from = \"random\"", "from = \"randon\"").find("'randon', which does not exist - did you mean 'random'?"),
      std::string::npos);
  EXPECT_NE(refused(kSound, "rho = 0.5\n", "rho = 0.7\n").find("at rho 0.7, but that row is not measured there"),
            std::string::npos);
  EXPECT_NE(refused(kSound, "name = \"random\"", "name = \"WeiToP\"").find("two rows are called 'WeiToP'"), std::string::npos);
  EXPECT_NE(refused(kSound, "prune = \"random\"", "prune = \"norm\"").find("seeds"), std::string::npos);
  EXPECT_NE(refused(kSound, "queries = \"q\"", "querys = \"q\"").find("quer"), std::string::npos);
  EXPECT_NE(refused(kSound, "models = [\"demo\"]", "models = []").find("the row 'random' has no models"), std::string::npos);
  EXPECT_NE(refused(kSound, "gt = \"gt.csv\"", "dataset = \"sped\"").find("root"), std::string::npos);
}

}  // namespace
}  // namespace revisit

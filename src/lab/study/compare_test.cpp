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
  EXPECT_DOUBLE_EQ(mean_recall_of(line, 1, {1}).mean, 60) << "without the second";
  EXPECT_EQ(cost_of(line).gmac, 0) << "not measured";
  line.costs = {{10, 4}, {30, 6}};
  EXPECT_EQ(cost_of(line).gmac, 5);
  EXPECT_GE(cost_of(line).ms_per_image, 10);
  EXPECT_LE(cost_of(line).ms_per_image, 30);
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
norm_scale = "raw"
line = "ours"
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
  EXPECT_EQ(config.rows.at(0).spec.norm_scale, "raw");
  EXPECT_EQ(config.rows.at(0).line, "ours");
  EXPECT_EQ(config.rows.at(1).seeds, 5);
  EXPECT_EQ(config.rows.at(1).spec.prune, "random");
  EXPECT_EQ(config.differences.at(0).from_rho, 0.5);
}

constexpr const char* kOthers = R"(
[[literature]]
name = "paper"
rho = [1, 0.5]
ms = [2.41, 1.3]
gmac = [50.4, 26.4]
mean_10 = [80.9, 75]
recall_1 = { day = [73.1, 62.3] }
)";

TEST(CompareConfig, TakesNumbersOfOthersAndColumns) {
  const CompareConfig config = parsed("recall_columns = [10, 1]\n" + std::string(kSound).replace(0, 1, "") + kOthers);
  EXPECT_EQ(config.recall_columns, (std::vector<int>{10, 1}));
  ASSERT_EQ(config.literature.size(), 1U);
  const CompareLiterature& paper = config.literature[0];
  EXPECT_EQ(paper.rhos, (std::vector<double>{1, 0.5}));
  EXPECT_EQ(paper.gmac, (std::vector<double>{50.4, 26.4}));
  EXPECT_EQ(paper.recall.at(1).at("day"), (std::vector<double>{73.1, 62.3}));
  EXPECT_EQ(paper.mean_recall.at(10), (std::vector<double>{80.9, 75}));
  EXPECT_FALSE(paper.mean_recall.contains(1));
  EXPECT_EQ(parsed(kSound).recall_columns, (std::vector<int>{1})) << "the first recall value";
}

TEST(CompareConfig, NumbersOfOthersMustFit) {
  const std::string whole = std::string(kSound) + kOthers;
  EXPECT_NE(refused(whole, "ms = [2.41, 1.3]", "ms = [2.41]").find("[[literature]] ms has 1 numbers, but rho has 2"),
            std::string::npos);
  EXPECT_NE(refused(whole, "day = [73.1, 62.3]", "day = [73.1, 162.3]").find("100"), std::string::npos);
  EXPECT_NE(refused(whole, "{ day =", "{ dya =").find("dya"), std::string::npos);
  EXPECT_NE(refused(whole, "mean_10", "mean_7").find("mean_7"), std::string::npos) << "not measured";
  const std::string columns = "recall_columns = [5]\n" + std::string(kSound).substr(1);
  EXPECT_NE(refused(columns, "[5]", "[5]").find("recall_columns has 5, which is not one of recall_values"), std::string::npos);
  const std::string without = "mean_without = [\"night\"]\n" + std::string(kSound).substr(1);
  EXPECT_NE(refused(without, "night", "dya").find("'dya', which does not exist - did you mean 'day'?"), std::string::npos);
  EXPECT_NE(refused(without, "night", "day").find("mean_without leaves no data set"), std::string::npos);
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

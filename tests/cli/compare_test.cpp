// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit compare` on generated pictures: tables, what is kept, what is refused.
#include "run_program.h"

namespace revisit::testing {
namespace {

class Compare : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    std::string truth = "query,best_ref,accepted_refs\n";
    for (int i = 0; i < 6; ++i) {
      const auto name = std::to_string(i) + ".png";
      picture("q/" + name, static_cast<std::uint32_t>(i + 1));
      picture("r/" + name, static_cast<std::uint32_t>(i < 4 ? i + 1 : i + 51));  // two have no double
      truth += name + "," + name + "," + name + "\n";
    }
    text_file("gt.csv", truth);
    text_file("c.toml", config());
  }
  static std::string config() {
    return R"(name = "mine"
recall_values = [1, 2]
[[dataset]]
name = "there"
queries = "q"
references = "r"
gt = "gt.csv"
[[dataset]]
name = "back"
queries = "r"
references = "q"
gt = "gt.csv"
[[row]]
name = "WeiToP"
models = ["demo"]
rho = [1, 0.5]
size = "56x56"
[[row]]
name = "random"
models = ["demo"]
rho = [0.5]
prune = "random"
seeds = 3
size = "56x56"
[[difference]]
of = "WeiToP"
from = "random"
rho = 0.5
)";
  }
  RunResult compare(const std::vector<std::string>& more = {}, RunOptions options = {}) {
    std::vector<std::string> words{"compare", "c.toml"};
    words.insert(words.end(), more.begin(), more.end());
    options.folder = folder_;
    return run_program(words, options);
  }
};

TEST_F(Compare, GivesTablesAndGoesOnFromWhatIsMeasured) {
  const auto first = compare({"--json"});
  ASSERT_EQ(first.exit_code, 0) << first.err << first.out;
  const auto object = first.json();
  ASSERT_EQ(object["rows"].size(), 3U);
  EXPECT_GE(object["rows"][0]["mean_recall"]["1"]["mean"].get<double>(), 60) << "a picture is found among others by itself";
  EXPECT_EQ(object["rows"][2]["repetitions"], 3);
  ASSERT_EQ(object["differences"].size(), 1U);
  const auto gained = object["differences"][0]["recall_gained"].get<double>();
  EXPECT_LE(object["differences"][0]["interval95"][0].get<double>(), gained);
  EXPECT_GE(object["differences"][0]["interval95"][1].get<double>(), gained);
  for (const auto* name : {"compare.md", "compare.tex", "compare.csv", "compare.json", "compare.svg", "compare-gmac.svg"}) {
    EXPECT_TRUE(exists(std::string("runs/mine/") + name)) << name;
  }
  EXPECT_NE(contents("runs/mine/compare.md").find("| WeiToP, rho 0.5 | random, rho 0.5 |"), std::string::npos);

  int cells = 0;
  for ([[maybe_unused]] const auto& cell : std::filesystem::directory_iterator(folder_ / "runs/mine/cells")) ++cells;
  EXPECT_EQ(cells, 2 * (2 + 3) + 3) << "no two repetitions are the same measurement; three settings cost something else";

  const auto again = compare();
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.err.find("describing"), std::string::npos) << again.err;
  EXPECT_EQ(again.out, contents("runs/mine/compare.md"));
  EXPECT_EQ(compare({"--json"}).json()["rows"], object["rows"]) << "times are those measured first";
}

TEST_F(Compare, DrawsNumbersOfOthersApartAndRanksItsOwn) {
  auto text = config();
  text.replace(text.find("recall_values = [1, 2]"), 22,
               "recall_values = [1, 2]\nrecall_columns = [1, 2]\nmean_without = [\"back\"]");
  text_file("c.toml", text + R"([[literature]]
name = "A & B, paper"
rho = [1, 0.5]
gmac = [50.4, 26.4]
mean_1 = [80.9, 75]
recall_2 = { there = [91, 82.5] }
)");
  const auto run = compare();
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto table = contents("runs/mine/compare.md");
  EXPECT_NE(table.find("| there R@1, 6 queries | there R@2, 6 queries | back R@1, 6 queries |"), std::string::npos) << table;
  EXPECT_NE(table.find("mean R@1 | mean R@1 without back |"), std::string::npos) << table;
  EXPECT_NE(table.find("*numbers of others*"), std::string::npos) << table;
  EXPECT_NE(table.find("| A & B, paper | 0.5 |  | 26.4 |  | 82.5 |"), std::string::npos) << table;
  EXPECT_EQ(table.find("**80.9**"), std::string::npos) << "others are not ranked";
  const auto latex = contents("runs/mine/compare.tex");
  EXPECT_NE(latex.find("\\midrule\nA \\& B, paper & 1 &  & 50.4 &"), std::string::npos) << latex;
  EXPECT_NE(contents("runs/mine/compare-gmac.svg").find("A &amp; B, paper"), std::string::npos);
  EXPECT_EQ(contents("runs/mine/compare.svg").find("A &amp; B, paper"), std::string::npos) << "they have no milliseconds";
  EXPECT_NE(contents("runs/mine/compare.csv").find("ms_per_image,gmac,recall_1,recall_2"), std::string::npos);
}

TEST_F(Compare, WhereAModelStandsInARowDoesNotMatter) {
  text_file("c.toml", R"(name = "mine"
[[dataset]]
name = "there"
queries = "q"
references = "r"
gt = "gt.csv"
[[row]]
name = "both"
models = ["revisit-tiny", "demo"]
rho = [0.5]
size = "56x56"
[[row]]
name = "second"
models = ["demo"]
rho = [0.5]
size = "56x56"
)");
  ASSERT_EQ(compare().exit_code, 0);
  EXPECT_EQ(files("runs/mine/cells"), 4U) << "the second row was measured already: a cell and a cost for each model";
}

TEST_F(Compare, StoppedItShowsTheLinesThatAreDoneAndGoesOnWithTheRest) {
  auto text = config();
  for (auto at = text.find("56x56"); at != std::string::npos; at = text.find("56x56")) text.replace(at, 5, "420x420");
  text_file("c.toml", text);
  RunOptions stop;
  stop.interrupt_after_talk = "WeiToP at rho 1: mean";
  const auto stopped = compare({"--json"}, stop);
  EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
  const auto object = stopped.json();
  EXPECT_EQ(object["error"]["code"], "interrupted");
  const auto done = object["rows"].size();
  ASSERT_GE(done, 1U);
  ASSERT_LT(done, 3U);
  const auto sentence = object["error"]["message"].get<std::string>();
  EXPECT_NE(sentence.find("of 3 lines, all of them safe in 'runs/mine'; the same command goes on"), std::string::npos)
      << sentence;

  const auto rest = compare({"--json"});
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  ASSERT_EQ(rest.json()["rows"].size(), 3U);
  EXPECT_EQ(rest.json()["rows"][0], object["rows"][0]) << "measured once";
}

TEST_F(Compare, WhatCannotWorkIsSaidBeforeAnyPhotoIsDescribed) {
  auto text = config();
  text.replace(text.rfind("prune = \"random\""), 16, "prune = \"none\"  ");
  text.replace(text.find("seeds = 3"), 9, "         ");
  text_file("c.toml", text);
  const auto unpruned = compare();
  EXPECT_EQ(unpruned.exit_code, 2);
  EXPECT_NE(unpruned.err.find("row 'random', model 'demo'"), std::string::npos) << unpruned.err;
  EXPECT_FALSE(exists("runs"));
  text = config();
  text.replace(text.find("gt = \"gt.csv\""), 13, "             ");
  text_file("c.toml", text);
  const auto unlabelled = compare();
  EXPECT_EQ(unlabelled.exit_code, 2);
  EXPECT_NE(unlabelled.err.find("data set 'there' has no ground truth"), std::string::npos) << unlabelled.err;
}

}  // namespace
}  // namespace revisit::testing

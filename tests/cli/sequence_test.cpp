// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// --sequence of match and query, on a drive past twelve places.
#include "run_program.h"

namespace revisit::testing {
namespace {

class Sequence : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    ASSERT_EQ(run({"synth", "town", "--places", "12", "--size", "72x96", "--seed", "3", "-q"}).exit_code, 0);
  }
  RunResult run(const std::vector<std::string>& arguments) const { return run_program(arguments, {.folder = folder_}); }
  RunResult match(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"match", "town/queries", "town/database", "--size", "56x70"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

TEST_F(Sequence, EachMatchHasItsSupportAndKeepsItsSimilarity) {
  const auto alone = match({"--json", "-k", "5"}).json(), followed = match({"--json", "-k", "5", "--sequence", "4"}).json();
  EXPECT_EQ(match({"--json", "-k", "5", "--sequence", "1"}).json(), alone) << "1 is off";
  ASSERT_EQ(followed.at("queries").size(), 12U);
  std::map<std::pair<std::string, std::string>, double> similarity;
  for (const auto& query : alone.at("queries")) {
    for (const auto& one : query.at("matches")) {
      similarity[{query.at("query"), one.at("reference")}] = one.at("similarity");
      EXPECT_FALSE(one.contains("support"));
    }
  }
  for (const auto& query : followed.at("queries")) {
    ASSERT_EQ(query.at("matches").size(), 5U);
    for (const auto& one : query.at("matches")) {
      EXPECT_GE(one.at("support").get<double>(), 0);
      EXPECT_LE(one.at("support").get<double>(), 1);
      const auto known = similarity.find({query.at("query"), one.at("reference")});
      if (known == similarity.end()) continue;
      EXPECT_EQ(one.at("similarity").get<double>(), known->second);
    }
  }
  EXPECT_NE(followed.at("notes").dump().find("the last 4 photos support each other"), std::string::npos) << followed.at("notes");
  EXPECT_NE(match({"--sequence", "4", "--min-similarity", "-1"}).out.find("  support "), std::string::npos);
}

TEST_F(Sequence, AnIndexAndAFolderGiveTheSameAnswers) {
  ASSERT_EQ(run({"index", "add", "places.rvs", "town/database", "--size", "56x70", "-q"}).exit_code, 0);
  const auto by_folder = match({"--json", "--sequence", "6", "--min-similarity", "-1"}).json();
  const auto by_index =
      run({"query", "places.rvs", "town/queries", "--json", "--sequence", "6", "--min-similarity", "-1"}).json();
  for (std::size_t q = 0; q < 12; ++q) {
    const auto &a = by_folder.at("queries").at(q).at("matches"), &b = by_index.at("queries").at(q).at("matches");
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a.at(i).at("reference"), b.at(i).at("reference"));
      EXPECT_NEAR(a.at(i).at("support").get<double>(), b.at(i).at("support").get<double>(), 1e-9);
    }
  }
}

TEST_F(Sequence, TakesUpToAHundredFrames) {
  EXPECT_EQ(match({"--sequence", "100", "-q"}).exit_code, 0);
  const auto more = match({"--sequence", "101"});
  EXPECT_EQ(more.exit_code, 2);
  EXPECT_NE(more.err.find("101"), std::string::npos) << more.err;
}

}  // namespace
}  // namespace revisit::testing

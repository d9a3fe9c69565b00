// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// query and the recognizer behind it: one view of the index, one decision.
#include "run_program.h"

namespace revisit::testing {
namespace {

class Query : public ProgramTest {
 protected:
  RunResult run(const std::vector<std::string>& arguments, RunOptions options = {}) {
    options.folder = folder_;
    return run_program(arguments, options);
  }
  RunResult add(std::vector<std::string> more, const std::string& index = "db") {
    more.insert(more.begin(), {"index", "add", index});
    more.insert(more.end(), {"--size", "28x28"});
    return run(more);
  }
  void pictures(const std::string& folder, int count, std::uint32_t first = 1) const {
    for (int i = 0; i < count; ++i) {
      picture(folder + "/" + std::to_string(i) + ".png", first + static_cast<std::uint32_t>(i));
    }
  }
};

TEST_F(Query, AnswersFromOneViewWhileAnotherProcessAdds) {
  pictures("old", 3);
  pictures("new", 8, 11);
  text_file("times.csv", "image,lat,lon,time\n0.png,59.4,24.7,10\n");
  for (const std::string output : {"", "report"}) {
    const std::string index = "db" + output;
    ASSERT_EQ(add({"old", "--positions", "times.csv"}, index).exit_code, 0);
    RunOptions meanwhile;  // the filter is told of when the index is open, before the photo is described
    meanwhile.while_paused = [&] { EXPECT_EQ(add({"new", "--positions", "times.csv"}, index).exit_code, 0); };
    std::vector<std::string> words{"query", index, "new/0.png", "--after", "0", "--json"};
    if (!output.empty()) words.insert(words.end(), {"-o", output});
    const auto result = run(words, meanwhile);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.err.find("photos in the index have no time"), std::string::npos) << result.err;
    EXPECT_EQ(result.json()["queries"][0]["matches"].size(), 1U) << "of that view one photo has a time";
  }
}

TEST_F(Query, SaysWhatTheRecognizerSays) {
  pictures("photos", 2);
  ASSERT_EQ(add({"photos"}).exit_code, 0);
  const auto yes = run({"query", "db", "photos/0.png", "--min-similarity", "0.5", "--json"}).json();
  EXPECT_TRUE(yes["queries"][0]["accepted"].get<bool>());
  EXPECT_EQ(yes["queries"][0]["reason"], "similarity 1.0000 reaches the threshold 0.5000 (asked for)");
  EXPECT_EQ(yes["min_similarity"], 0.5);
  picture("other.png", 9);
  const auto no = run({"query", "db", "other.png", "--min-similarity", "1", "--json"}).json();
  EXPECT_FALSE(no["queries"][0]["accepted"].get<bool>());
  EXPECT_TRUE(no["queries"][0]["reason"].get<std::string>().starts_with("no match: similarity 0.")) << no;
  EXPECT_EQ(run({"query", "db", "other.png", "--exclude-recent", "2"}).out,
            "other.png -> no match: nothing is left to compare with\n");
}

TEST_F(Query, LooksAgainAtTheFirstMatches) {
  pictures("photos", 4);
  ASSERT_EQ(add({"photos"}).exit_code, 0);
  const auto without = run({"query", "db", "photos/2.png", "--rerank", "3"});
  EXPECT_EQ(without.exit_code, 3);
  EXPECT_NE(without.err.find("' in 'db' has none"), std::string::npos) << without.err;
  EXPECT_NE(without.err.find("revisit index add db PHOTOS --local adds what is missing"), std::string::npos) << without.err;
  EXPECT_EQ(run({"index", "info", "db", "--json"}).json()["with_local"], 0);

  const auto filled = add({"photos", "--local", "--json"}).json();
  EXPECT_EQ(filled["local"], 4);
  EXPECT_EQ(filled["unchanged"], 4);
  picture("photos/new.png", 40);
  EXPECT_EQ(add({"photos", "--json"}).json()["added"], 1) << "goes on keeping them";
  const auto info = run({"index", "info", "db", "--json"}).json();
  EXPECT_EQ(info["with_local"], 5);
  EXPECT_GT(info["bytes_per_photo"].get<int>(), 4 * (6 + 32)) << "four patches of 28x28";
  EXPECT_EQ(run({"index", "verify", "db"}).exit_code, 0);

  const auto result = run({"query", "db", "photos/2.png", "--rerank", "3", "--json", "-v"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("second look: 3 candidates, "), std::string::npos) << result.err;
  const auto json = result.json();
  const auto matches = json["queries"][0]["matches"];
  EXPECT_EQ(json["reranked_candidates"], 3);
  ASSERT_EQ(matches.size(), 5U);
  EXPECT_EQ(matches[0]["reference"], "2.png");
  EXPECT_EQ(matches[0]["agreeing_patches"], matches[0]["patches"].size());
  EXPECT_GT(matches[0]["patches"].size(), 0U);
  for (const auto& pair : matches[0]["patches"]) {
    EXPECT_EQ(pair[0], pair[2]) << "the same photo";
    EXPECT_EQ(pair[1], pair[3]);
  }
  EXPECT_TRUE(matches[2].contains("local_score"));
  EXPECT_FALSE(matches[3].contains("local_score")) << "only three were looked at";

  const auto said = run({"query", "db", "photos/2.png", "--rerank", "3"});
  EXPECT_NE(said.out.find(" patches agree"), std::string::npos) << said.out;

  for (const std::string bad : {"0", "1001", "x"})
    EXPECT_EQ(run({"query", "db", "photos/2.png", "--rerank", bad}).exit_code, 2) << bad;
}

TEST_F(Query, MatchAndEvalLookAgainToo) {
  pictures("photos", 4);
  text_file("gt.csv", "query,best_ref\n0.png,0.png\n1.png,1.png\n2.png,2.png\n3.png,3.png\n");
  const auto match =
      run({"match", "photos", "photos", "--gt", "gt.csv", "--rerank", "2", "-k", "4", "--size", "28x28", "--json", "-o", "run"});
  ASSERT_EQ(match.exit_code, 0) << match.err;
  const auto json = match.json();
  EXPECT_EQ(json["reranked_candidates"], 8);
  EXPECT_EQ(json["recall"]["1"], 100);
  EXPECT_EQ(json["queries"][3]["matches"][0]["reference"], "3.png");
  EXPECT_TRUE(exists("run/looks.json"));
  ASSERT_EQ(run({"report", "run/run.json", "-o", "again"}).exit_code, 0);
  EXPECT_EQ(contents("again/report.html"), contents("run/report.html"));
  const auto eval = run({"eval", "--queries-folder", "photos", "--database-folder", "photos", "--gt", "gt.csv", "--rerank", "2",
                         "--size", "28x28", "--json"});
  ASSERT_EQ(eval.exit_code, 0) << eval.err;
  EXPECT_EQ(eval.json()["reranked_candidates"], 8);
  const auto calibrated = run({"eval", "--queries-folder", "photos", "--database-folder", "photos", "--gt", "gt.csv", "--rerank",
                               "2", "--calibrate", "0.9", "--calibrated-model", "sure.safetensors"});
  EXPECT_EQ(calibrated.exit_code, 2);
  EXPECT_NE(calibrated.err.find("--rerank 2 and --calibrate cannot be used together"), std::string::npos) << calibrated.err;
  EXPECT_NE(eval.json()["protocol"].get<std::string>().find("the first 2 looked at again"), std::string::npos);
}

TEST_F(Query, AReportIsNotWrittenIntoAnIndexAndArgumentsTheWrongWayRoundAreTold) {
  pictures("photos", 2);
  ASSERT_EQ(add({"photos"}).exit_code, 0);
  const auto files_before = files("db");
  const auto into = run({"query", "db", "photos/0.png", "-o", "db"});
  EXPECT_EQ(into.exit_code, 2);
  EXPECT_NE(into.err.find("'db' is an index"), std::string::npos) << into.err;
  EXPECT_FALSE(exists("db/report.html"));
  for (const auto& words : std::vector<std::vector<std::string>>{{"match", "photos", "photos", "-o", "db/new/report"},
                                                                 {"describe", "photos/0.png", "-o", "db/vectors.bin"},
                                                                 {"describe", "photos/0.png", "--pictures", "db/pictures"},
                                                                 {"model", "import", "demo", "-o", "db/m.safetensors"}}) {
    const auto inside = run(words);
    EXPECT_EQ(inside.exit_code, 2) << words[0];
    EXPECT_NE(inside.err.find("' lies in an index"), std::string::npos) << inside.err;
  }
  EXPECT_EQ(files("db"), files_before);
  const auto swapped = run({"query", "photos/0.png", "db"});
  EXPECT_EQ(swapped.exit_code, 2);
  EXPECT_NE(swapped.err.find("revisit query db photos/0.png"), std::string::npos) << swapped.err;
  const auto folder_first = run({"query", "photos", "db"});
  EXPECT_EQ(folder_first.exit_code, 2);
  EXPECT_NE(folder_first.err.find("hint: revisit query db photos\n"), std::string::npos) << folder_first.err;
  const auto no_index = run({"query", "photos", "photos/0.png"});
  EXPECT_EQ(no_index.exit_code, 3);
  EXPECT_NE(no_index.err.find("the folder 'photos' is not an index"), std::string::npos) << no_index.err;
  const auto two = run({"query", "db", "photos/0.png", "-k", "2"});
  EXPECT_NE(two.out.find("\n  2. 1.png  similarity "), std::string::npos) << two.out;
}

TEST_F(Query, HowPhotosWereDecodedIsKeptAndADifferenceIsTold) {
  pictures("photos", 3);
  ASSERT_EQ(add({"photos", "--decode", "fast"}).exit_code, 0);
  EXPECT_EQ(run({"index", "info", "db", "--json"}).json()["decode"], "fast");
  const auto same = run({"query", "db", "photos/0.png"});
  EXPECT_EQ(same.err.find("settings differ"), std::string::npos) << same.err;
  const auto other = run({"query", "db", "photos/0.png", "--decode", "exact"});
  EXPECT_EQ(other.exit_code, 0);
  EXPECT_NE(other.err.find("decode exact, not fast"), std::string::npos) << other.err;
  const auto wrong = run({"query", "db", "photos/0.png", "--decode", "quick"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("exact, fast"), std::string::npos) << wrong.err;
}

}  // namespace
}  // namespace revisit::testing

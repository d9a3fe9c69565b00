// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// synth, match, eval and sweep from end to end on a town of six places.
#include "core/formats/npy.h"
#include "run_program.h"

namespace revisit::testing {
namespace {

class Match : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    const auto made = run({"synth", "town", "--places", "6", "--size", "72x96", "--seed", "3"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }

  RunResult run(std::vector<std::string> arguments) {
    RunOptions options;
    options.folder = folder_;
    return run_program(arguments, options);
  }
  RunResult match(std::vector<std::string> more) {
    more.insert(more.begin(), {"match", "town/queries", "town/database", "--size", "56x70"});
    return run(more);
  }
  RunResult eval(std::vector<std::string> more, const std::string& verb = "eval") {
    more.insert(more.begin(),
                {verb, "--queries_folder", "town/queries", "--database_folder", "town/database", "--size", "56x70"});
    return run(more);
  }
  std::size_t photos(const std::string& folder) const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_ / folder), {}));
  }
  void expect_self_contained(const std::string& page) const {
    const auto text = contents(page);
    EXPECT_GT(text.size(), 1000U) << page;
    EXPECT_EQ(text.find("http://"), std::string::npos);
    EXPECT_EQ(text.find("https://"), std::string::npos);
    EXPECT_TRUE(text.ends_with("</html>\n"));
  }
};

TEST_F(Match, SynthWritesOneQueryAndTheOtherViewsOfEveryPlace) {
  EXPECT_EQ(photos("town/queries"), 6U);
  EXPECT_EQ(photos("town/database"), 12U);
  const auto truth = contents("town/gt.csv");
  EXPECT_TRUE(truth.starts_with("query,best_ref,accepted_refs\n"));
  EXPECT_EQ(std::count(truth.begin(), truth.end(), '\n'), 7);
  const auto more = run({"synth", "town", "--places", "2", "--views", "4", "--size", "72x96", "--json"});
  EXPECT_EQ(more.exit_code, 0);
  EXPECT_EQ(more.json()["references"], 6);
  EXPECT_NE(more.err.find("not part of this town"), std::string::npos) << more.err;
  EXPECT_EQ(run({"synth", "other", "--views", "1"}).exit_code, 2);
}

TEST_F(Match, PrintsALineAQueryAndWritesTheReport) {
  const auto result = match({"--gt", "town/gt.csv", "-o", "out"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.lines(), 7) << "six queries and the recall";
  EXPECT_NE(result.out.find("\nR@1: "), std::string::npos);
  EXPECT_NE(result.out.find(" -> "), std::string::npos);
  expect_self_contained("out/report.html");
  const auto csv = contents("out/predictions.csv");
  EXPECT_TRUE(csv.starts_with("query,rank,reference,distance,similarity\n"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 6 * 10);
  const auto record = nlohmann::json::parse(contents("out/run.json"));
  EXPECT_EQ(record["command"], "match");
  EXPECT_EQ(record["size"], nlohmann::json({56, 70}));
  EXPECT_TRUE(record.contains("fingerprint") && record.contains("arguments") && record.contains("version"));
}

TEST_F(Match, JsonHasEveryMatchWithItsPlace) {
  const auto object = match({"-k", "3", "--json", "--min-similarity", "1"}).json();
  EXPECT_EQ(object["schema"], 1);
  ASSERT_EQ(object["queries"].size(), 6U);
  for (const auto& query : object["queries"]) {
    EXPECT_FALSE(query["accepted"].get<bool>()) << "no two pictures are equal";
    ASSERT_EQ(query["matches"].size(), 3U);
    double before = 0;
    for (const auto& one : query["matches"]) {
      const double distance = one["distance"].get<double>(), similarity = one["similarity"].get<double>();
      EXPECT_NEAR(distance * distance, 2 - 2 * similarity, 1e-4);
      EXPECT_GE(distance, before);
      before = distance;
      EXPECT_TRUE(one.contains("lat") && one.contains("lon") && one.contains("metres"));
    }
  }
  EXPECT_TRUE(object["skipped"].empty());
}

TEST_F(Match, SaysNoMatchBelowTheThreshold) {
  const auto refused = match({"--min-similarity", "1"});
  EXPECT_EQ(refused.exit_code, 0);
  EXPECT_NE(refused.out.find(" -> no match (best "), std::string::npos) << refused.out;
  EXPECT_EQ(match({"--min-similarity", "-1"}).out.find("no match"), std::string::npos);
}

TEST_F(Match, LoopClosureLeavesOutTheRecentPast) {
  const auto object =
      run({"match", "town/database", "town/database", "--size", "56x70", "--exclude-recent", "4", "--json"}).json();
  ASSERT_EQ(object["queries"].size(), 12U);
  std::vector<std::string> names;
  for (std::size_t q = 0; q < 12; ++q) {
    const auto& query = object["queries"][q];
    names.push_back(query["query"].get<std::string>());
    EXPECT_EQ(query["matches"].size(), q < 4 ? 0U : std::min<std::size_t>(10, q - 3));
    for (const auto& one : query["matches"]) {
      const auto at = std::find(names.begin(), names.end(), one["reference"].get<std::string>()) - names.begin();
      EXPECT_LE(at, static_cast<std::ptrdiff_t>(q) - 4);
    }
  }
  EXPECT_EQ(match({"--exclude-recent", "4"}).exit_code, 2) << "two folders are not a sequence";
  EXPECT_EQ(match({"--exclude-seconds", "4"}).exit_code, 2) << "no times are known";
  const auto same = run({"match", "town/queries", "town/queries", "--size", "56x70"});
  EXPECT_NE(same.err.find("every photo finds itself"), std::string::npos);
}

TEST_F(Match, SkippedPhotosAreNamedAndTheExitCodeIsFour) {
  text_file("town/queries/broken.jpg", "no picture");
  text_file("town/database/broken.png", "no picture either");
  const auto result = match({"--json"});
  EXPECT_EQ(result.exit_code, 4);
  const auto object = result.json();
  ASSERT_EQ(object["skipped"].size(), 2U);
  EXPECT_EQ(object["skipped"][0]["code"], "bad_image");
  EXPECT_NE(result.err.find("broken.jpg"), std::string::npos);
  EXPECT_EQ(object["queries"].size(), 7U);
  for (const auto& query : object["queries"]) {
    EXPECT_EQ(query["matches"].empty(), query["query"] == "broken.jpg");
    for (const auto& one : query["matches"]) EXPECT_NE(one["reference"], "broken.png");
  }
  std::filesystem::create_directories(folder_ / "bad");
  text_file("bad/only.jpg", "no picture");
  EXPECT_EQ(run({"match", "bad", "town/database", "--size", "56x70"}).exit_code, 3);
}

TEST_F(Match, WrongFoldersAndTruthAreRefusedBeforeAnyWork) {
  EXPECT_EQ(run({"match", "nowhere", "town/database"}).exit_code, 3);
  EXPECT_EQ(run({"match", "town/queries"}).exit_code, 2);
  std::filesystem::create_directories(folder_ / "empty");
  EXPECT_EQ(run({"match", "empty", "town/database"}).exit_code, 3);
  EXPECT_EQ(match({"--gt", "nowhere.csv"}).exit_code, 3);
  text_file("bad.csv", "a,b\n1,2\n");
  const auto bad = match({"--gt", "bad.csv"});
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_NE(bad.err.find("bad.csv"), std::string::npos);
  EXPECT_EQ(eval({"--gt", "bad.csv"}).exit_code, 3);
  EXPECT_EQ(run({"eval", "--queries_folder", "town/queries"}).exit_code, 2);
  EXPECT_EQ(run({"eval"}).exit_code, 2);
  EXPECT_EQ(run({"eval", "--dataset", "nowhere_land", "--root", "."}).exit_code, 2);
  picture("plain/a.png");
  const auto unlabelled = run({"eval", "--queries_folder", "plain", "--database_folder", "plain"});
  EXPECT_EQ(unlabelled.exit_code, 2);
  EXPECT_NE(unlabelled.err.find("--no-labels"), std::string::npos) << unlabelled.err;
}

TEST_F(Match, EvalPrintsTheLineOfTheFieldAndTheObjectOfTheContract) {
  const auto text = eval({});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_TRUE(text.out.starts_with("R@1: ")) << text.out;
  EXPECT_FALSE(exists("logs")) << "nothing is written unless asked for";
  const auto object = eval({"--json", "--rho", "0.5", "--recall_values", "1", "5", "12"}).json();
  for (const auto* key : {"schema", "num_queries", "num_references", "num_without_positive", "recall", "recall_interval95",
                          "protocol", "rho", "ms_per_image", "end_to_end_ms"}) {
    EXPECT_TRUE(object.contains(key)) << key;
  }
  EXPECT_EQ(object["num_queries"], 6);
  EXPECT_EQ(object["recall"]["12"], 100.0) << "all references are found";
  EXPECT_EQ(object["rho"], 0.5);
  EXPECT_EQ(object["orientation"], "ignore");
  EXPECT_GT(object["ms_per_image"].get<double>(), 0);
  EXPECT_GE(object["end_to_end_ms"].get<double>(), object["ms_per_image"].get<double>());
}

TEST_F(Match, ACommandLineOfTheFieldRunsAsItIs) {
  const auto result = run({"eval",
                           "--database_folder=town/database",
                           "--queries_folder=town/queries",
                           "--positive_dist_threshold",
                           "25",
                           "--recall_values",
                           "1",
                           "5",
                           "--image_size",
                           "56",
                           "70",
                           "--num_preds_to_save",
                           "2",
                           "--save_only_wrong_preds",
                           "--save_descriptors",
                           "--log_dir",
                           "mine",
                           "--batch_size",
                           "4",
                           "--num_workers",
                           "2",
                           "--device",
                           "cuda"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("--device cuda is ignored"), std::string::npos);
  const auto runs = std::filesystem::directory_iterator(folder_ / "logs/mine");
  const auto folder = runs->path();
  const auto array = read_npy(folder / "queries_descriptors.npy");
  EXPECT_EQ(array.shape[0], 6);
  EXPECT_EQ(read_npy(folder / "database_descriptors.npy").shape[0], 12);
  EXPECT_TRUE(std::filesystem::exists(folder / "preds"));
  expect_self_contained(std::filesystem::relative(folder, folder_) / "report.html");
  const auto unknown = eval({"--method", "megaloc"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("revisit model import"), std::string::npos) << unknown.err;
}

TEST_F(Match, ACalibratedModelSaysNoByItself) {
  // Queries that are references: every first match is right, so any precision can be promised.
  const std::vector<std::string> same{"eval",          "--queries_folder", "town/database", "--database_folder",
                                      "town/database", "--size",           "56x70"};
  auto arguments = same;
  arguments.insert(arguments.end(), {"--calibrate", "0.99", "--calibrated-model", "sure.safetensors", "--json"});
  const auto result = run(arguments);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NEAR(result.json()["min_similarity"].get<double>(), 1, 1e-5);
  const auto inspected = run({"model", "inspect", "sure.safetensors", "--json"}).json();
  EXPECT_EQ(inspected["calibrated_precision"], 0.99);
  EXPECT_EQ(inspected["calibrated_rho"], 1.0);
  EXPECT_EQ(inspected["calibrated_size"], nlohmann::json({56, 70}));
  const auto shown = run({"model", "inspect", "sure.safetensors"}).out;
  EXPECT_NE(shown.find("calibrated for precision 0.99 at rho 1, 56x70\n"), std::string::npos) << shown;
  const auto refused = match({"--model", "sure.safetensors", "--rho", "0.5"});
  EXPECT_NE(refused.out.find("no match"), std::string::npos);
  EXPECT_NE(refused.err.find("was calibrated at rho 1, 56x70; this run is at rho 0.5"), std::string::npos) << refused.err;
  arguments = same;
  arguments.insert(arguments.end(), {"--calibrate", "0.99"});
  EXPECT_EQ(run(arguments).exit_code, 2) << "where to write it is not said";
}

TEST_F(Match, WithoutAPositionNobodyKnowsWhetherAMatchIsRight) {
  picture("r/a.png", 1);
  picture("r/b.png", 2);
  picture("q/a.png", 1);
  picture("q/lost.png", 1);
  picture("q/b.png", 2);  // finds r/b.png, whose place is not known
  picture("q/far.png", 1);
  text_file("p.csv", "image,lat,lon\nq/a.png,59.4,24.7\nq/b.png,59.4,24.7\nq/far.png,59.9,24.7\nr/a.png,59.4,24.7\n");
  const auto result = run({"match", "q", "r", "--positions", "p.csv", "--size", "56x70", "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto verdict = [&](const std::string& name) {
    const auto from = result.out.find(name + " -> "), to = result.out.find('\n', from);
    return result.out.substr(result.out.rfind(' ', to) + 1, to - result.out.rfind(' ', to) - 1);
  };
  EXPECT_EQ(verdict("a.png"), "right") << result.out;
  EXPECT_EQ(verdict("far.png"), "wrong") << result.out;
  EXPECT_EQ(verdict("lost.png"), "unknown") << result.out;
  EXPECT_EQ(verdict("b.png"), "unknown") << result.out;
  const auto page = contents("out/report.html");
  EXPECT_NE(page.find("<b>match 1: right</b>"), std::string::npos);
  EXPECT_NE(page.find("<b>match 2: unknown</b>"), std::string::npos);
  EXPECT_EQ(page.find("<b>match 2: wrong</b>"), std::string::npos);
  ASSERT_EQ(run({"report", "out/run.json", "-o", "again"}).exit_code, 0);
  EXPECT_EQ(contents("again/report.html"), page);
}

TEST_F(Match, CtrlCStopsBetweenTwoPhotosAndWritesNothing) {
  RunOptions options;
  options.folder = folder_;
  options.signal_after_first_talk = SIGINT;
  const auto result = run_program({"match", "town/queries", "town/database", "--size", "700x700", "-o", "out"}, options);
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_NE(result.err.find("nothing was written"), std::string::npos) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_FALSE(exists("out"));
}

TEST_F(Match, SweepIsATableAndACurve) {
  const auto table = eval({"--rho", "1,0.5", "--reference-rho", "1", "--recall_values", "1", "5", "-o", "curve"}, "sweep");
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_EQ(table.lines(), 3);
  for (const auto* file : {"curve/sweep.csv", "curve/sweep.json", "curve/sweep.svg", "curve/report.html"})
    EXPECT_TRUE(exists(file)) << file;
  expect_self_contained("curve/report.html");
  const auto object = eval({"--rho", "1,0.4", "--models", "demo,demo", "--json"}, "sweep").json();
  ASSERT_EQ(object["runs"].size(), 4U);
  EXPECT_EQ(object["runs"][1]["rho"], 0.4);
  EXPECT_EQ(object["runs"][1]["reference_rho"], 0.4);
  EXPECT_TRUE(object["runs"][0].contains("recall") && object["runs"][0].contains("ms_per_image"));
  EXPECT_EQ(object["runs"][0]["recall"], object["runs"][2]["recall"]) << "the same model twice";
}

TEST_F(Match, SweepMarksTheFrontAndNamesTheBestInTime) {
  const auto table = eval(
      {"--rho", "1,0.5", "--precision", "f32,bf16", "--budget-ms", "100000", "--recall_values", "1", "-o", "curve"}, "sweep");
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_EQ(table.lines(), 6) << table.out;
  EXPECT_NE(table.out.find("within 100000 ms: "), std::string::npos) << table.out;
  EXPECT_NE(contents("curve/sweep.csv").find("precision,pareto\n"), std::string::npos);
  EXPECT_NE(contents("curve/report.html").find("within 100000 ms: "), std::string::npos);
  const auto object = nlohmann::json::parse(contents("curve/sweep.json"));
  int front = 0;
  for (const auto& one : object["runs"]) front += one["pareto"].get<bool>() ? 1 : 0;
  EXPECT_GE(front, 1);
  EXPECT_EQ(object["runs"][2]["precision"], "bf16");
  EXPECT_TRUE(object["best_within_budget"]["pareto"]) << "the best in time is on the front";
  const auto wrong = eval({"--precision", "f32,f33"}, "sweep");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(
      wrong.err.find("--precision is 'f32,f33', but must be one of auto, f32, bf16, int8, or several with commas between them"),
      std::string::npos)
      << wrong.err;
}

}  // namespace
}  // namespace revisit::testing

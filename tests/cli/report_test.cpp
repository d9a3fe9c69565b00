// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What runs write, redrawing it, and pictures of what a model looks at.
#include "cli/run_program.h"

namespace revisit::testing {
namespace {

class ReportVerb : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    const auto made = run({"synth", "town", "--places", "4", "--views", "3", "--size", "90x120", "-q"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }

  RunResult run(const std::vector<std::string>& arguments) {
    RunOptions options;
    options.folder = folder_;
    return run_program(arguments, options);
  }

  void match() {
    const auto result =
        run({"match", "town/queries", "town/database", "--gt", "town/gt.csv", "--size", "112x112", "--rho", "0.5", "-o", "out"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
};

TEST_F(ReportVerb, DrawsARunAgainWithoutItsModel) {
  match();
  for (const auto* file : {"predictions.csv", "photos.csv", "tokens.json", "matches.geojson", "run.json"})
    EXPECT_TRUE(exists(std::string("out/") + file)) << file;
  const auto first = contents("out/report.html");
  const auto result = run({"report", "out/run.json", "-o", "again"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "again/report.html\n");
  EXPECT_EQ(contents("again/report.html"), first);
  EXPECT_NE(first.find("pruning score of"), std::string::npos) << "heat maps are there";
  EXPECT_EQ(run({"report", "out/run.json", "--json"}).json()["files"][0], "report.html");
}

TEST_F(ReportVerb, DrawsAQueryOfPhotosThatShareAName) {
  std::filesystem::create_directories(folder_ / "b");
  std::filesystem::create_directories(folder_ / "a");
  const auto photo = std::filesystem::directory_iterator(folder_ / "town/queries")->path();
  for (const auto* folder : {"a", "b"}) std::filesystem::copy_file(photo, folder_ / folder / ("x" + photo.extension().string()));
  const auto x = "x" + photo.extension().string();
  ASSERT_EQ(run({"index", "add", "town.rvs", "town/database", "--size", "112x112"}).exit_code, 0);
  const auto asked = run({"query", "town.rvs", "a/" + x, "b/" + x, "-o", "out"});
  ASSERT_EQ(asked.exit_code, 0) << asked.err;
  const auto result = run({"report", "out/run.json", "-o", "again"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(contents("again/report.html"), contents("out/report.html"));
  EXPECT_NE(run({"report", "--help"}).out.find("match, query or eval"), std::string::npos);
}

TEST_F(ReportVerb, NamesPhotosThatWereMovedAway) {
  match();
  std::filesystem::rename(folder_ / "town/queries", folder_ / "town/elsewhere");
  const auto result = run({"report", "out/run.json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("4 of 12 photos are no longer at the recorded path"), std::string::npos) << result.err;
  EXPECT_NE(contents("out/report.html").find("missing file:"), std::string::npos);
}

TEST_F(ReportVerb, RefusesWhatIsNoRunWithOneSentence) {
  match();
  const auto whole = contents("out/run.json");
  for (const auto& text : {std::string("no json"), std::string(), std::string("[1]"), std::string("{\"schema\":1}"),
                           whole.substr(0, whole.size() / 2)}) {
    text_file("out/run.json", text);
    const auto result = run({"report", "out/run.json", "-o", "never"});
    EXPECT_EQ(result.exit_code, 3) << text;
    EXPECT_TRUE(result.err.starts_with("revisit: error: 'out/run.json'")) << result.err;
    EXPECT_FALSE(exists("never"));
  }
  EXPECT_EQ(run({"report", "nowhere.json"}).exit_code, 3);
  EXPECT_EQ(run({"report"}).exit_code, 2);
}

TEST_F(ReportVerb, EvalKeepsALogAndSweepAPicture) {
  const std::vector<std::string> data{"--queries_folder", "town/queries", "--database_folder",
                                      "town/database",    "--size",       "112x112"};
  auto arguments = data;
  arguments.insert(arguments.begin(), "eval");
  arguments.insert(arguments.end(), {"--log_dir", "mine"});
  const auto result = run(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto folder =
      std::filesystem::relative(std::filesystem::directory_iterator(folder_ / "logs/mine")->path(), folder_).string();
  const auto log = contents(folder + "/info.log");
  EXPECT_NE(log.find("revisit eval"), std::string::npos) << log;
  EXPECT_NE(log.find("R@1: "), std::string::npos) << log;
  EXPECT_EQ(run({"report", folder + "/run.json"}).exit_code, 0);

  arguments = data;
  arguments.insert(arguments.begin(), "sweep");
  arguments.insert(arguments.end(), {"--rho", "1,0.5", "-o", "curve"});
  EXPECT_EQ(run(arguments).exit_code, 0);
  EXPECT_EQ(load_image(folder_ / "curve/sweep.png").width, 1440);
  const auto again = run({"report", "curve/sweep.json", "-o", "curve2"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(contents("curve2/sweep.png"), contents("curve/sweep.png"));
  const auto kept = contents("curve/sweep.json") + "\n";
  text_file("curve/sweep.json", kept);
  const auto in_place = run({"report", "curve/sweep.json", "--json"});
  EXPECT_EQ(in_place.exit_code, 0) << in_place.err;
  EXPECT_EQ(in_place.json()["files"].size(), 4U);
  EXPECT_EQ(contents("curve/sweep.json"), kept) << "what is read is not written";
}

TEST_F(ReportVerb, DescribeDrawsWhatTheModelLooksAt) {
  picture("a/x.png");
  picture("b/x.png", 2);
  const auto result = run({"describe", "a/x.png", "b/x.png", "--size", "112x112", "--rho", "0.5", "--pictures", "seen"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("wrote 8 pictures"), std::string::npos) << result.err;
  for (const auto* name : {"x", "x-2"}) {
    for (const auto* kind : {"importance", "mass", "kept", "transport"}) {
      const auto file = std::string("seen/") + name + "." + kind + ".png";
      ASSERT_TRUE(exists(file)) << file;
      EXPECT_GT(load_image(folder_ / file).width, 300) << file;
    }
  }
  text_file("bad.jpg", "no picture");
  EXPECT_EQ(run({"describe", "a/x.png", "bad.jpg", "--pictures", "none"}).exit_code, 3);
  EXPECT_FALSE(exists("none")) << "a bad input leaves nothing behind";
}

}  // namespace
}  // namespace revisit::testing

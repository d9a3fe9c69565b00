// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What is refused or reported before hours of work, and what remains when the program is stopped.
#include "run_program.h"

namespace revisit::testing {
namespace {

constexpr const char* kModelOpened =
    "the demo model is untrained";  // said when a model is opened, so before any photo is described

class BeforeWork : public ProgramTest {
 protected:
  RunResult run(const std::vector<std::string>& arguments, RunOptions options = {}) {
    options.folder = folder_;
    return run_program(arguments, options);
  }
  void pictures(const std::string& folder, int count) const {
    for (int i = 0; i < count; ++i) picture(folder + "/" + std::to_string(i) + ".png", static_cast<std::uint32_t>(i + 1));
  }
  /// eval or sweep of as many queries as references, each the picture of the same name.
  std::vector<std::string> on_pairs(const std::string& verb, int count, const std::string& size) const {
    pictures("q", count);
    pictures("r", count);
    std::string truth = "query,best_ref,accepted_refs\n";
    for (int i = 0; i < count; ++i) {
      const auto name = std::to_string(i) + ".png";
      truth += name + "," + name + "," + name + "\n";
    }
    text_file("gt.csv", truth);
    return {verb, "--queries_folder", "q", "--database_folder", "r", "--gt", "gt.csv", "--size", size};
  }
  static std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_F(BeforeWork, AnOutputThatCannotBeWrittenIsRefused) {
  const auto eval = with(on_pairs("eval", 2, "28x28"), {"--model", "demo"});
  const auto sweep = with(on_pairs("sweep", 2, "28x28"), {"--model", "demo"});
  ASSERT_EQ(run({"index", "add", "db", "r", "--size", "28x28", "--model", "demo"}).exit_code, 0);
  text_file("file", "mine");
  text_file("logs", "mine");
  struct Case {
    std::vector<std::string> words;
    int exit_code;
    std::string sentence;
  };
  const std::string in_the_way = "'file' is a file, not a folder";
  const std::vector<Case> cases{
      {{"match", "q", "r", "--model", "demo", "-o", "file/deeper/still"}, 2, in_the_way},
      {{"match", "q", "r", "--model", "demo", "-o", "file"}, 2, in_the_way},
      {{"query", "db", "q", "-o", "file/deeper"}, 2, in_the_way},
      {with(sweep, {"-o", "file/deeper"}), 2, in_the_way},
      {with(eval, {"--log_dir", "mine"}), 2, "'logs' is a file, not a folder"},
      {with(eval, {"-o", "file/deeper"}), 2, in_the_way},
      {with(eval, {"--calibrate", "--calibrated-model", "nowhere/sure.safetensors"}), 1, "the folder 'nowhere' does not exist"},
      {{"model", "fit-vlad", "demo", "--photos", "r", "-o", "nowhere/vlad.safetensors"},
       1,
       "the folder 'nowhere' does not exist"},
      {{"model", "fit-vlad", "demo", "--photos", "r", "-o", "r"}, 1, "cannot write 'r': it is a folder"}};
  for (const auto& one : cases) {
    const auto result = run(one.words);
    EXPECT_EQ(result.exit_code, one.exit_code) << result.err;
    EXPECT_NE(result.err.find(one.sentence), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find(kModelOpened), std::string::npos) << result.err;
  }
  EXPECT_EQ(contents("file") + contents("logs"), "minemine");
}

TEST_F(BeforeWork, ASweepKnowsThatEveryModelCanDoEveryRho) {
  const auto sweep = on_pairs("sweep", 2, "28x28");
  const auto unpruned = run(with(sweep, {"--rho", "1,0.5", "--prune", "none", "--model", "demo"}));
  EXPECT_EQ(unpruned.exit_code, 2) << unpruned.err;
  EXPECT_NE(unpruned.err.find("model 'demo': rho = 0.5 needs a pruner"), std::string::npos) << unpruned.err;
  EXPECT_EQ(unpruned.err.find("demo at rho 1:"), std::string::npos) << unpruned.err;
  const auto missing = run(with(sweep, {"--rho", "1", "--models", "demo,gone.safetensors"}));
  EXPECT_EQ(missing.exit_code, 3) << missing.err;
  EXPECT_NE(missing.err.find("gone.safetensors"), std::string::npos) << missing.err;
  EXPECT_EQ(missing.err.find("demo at rho 1:"), std::string::npos) << missing.err;
  EXPECT_EQ(run(with(sweep, {"--rho", "1", "--prune", "none", "--model", "demo"})).exit_code, 0)
      << "what keeps everything needs no pruner";
}

TEST_F(BeforeWork, AStoppedSweepKeepsItsFinishedModels) {
  const auto sweep = with(on_pairs("sweep", 6, "280x280"), {"--rho", "1,0.8,0.6,0.5", "--recall_values", "1"});
  const auto of_three = with(sweep, {"--models", "demo,demo,demo"});
  RunOptions stop;
  stop.interrupt_after_talk = "demo at rho 1:";
  const auto result = run(with(of_three, {"-o", "curve"}), stop);
  EXPECT_EQ(result.exit_code, 130) << result.err;
  const auto points = result.lines() - 1;
  EXPECT_TRUE(points == 4 || points == 8) << points;
  const auto sentence =
      "stopped after " + std::to_string(points / 4) + " of 3 models; the finished ones are printed and written to curve";
  EXPECT_NE(result.err.find(sentence), std::string::npos) << result.err;
  const auto table = contents("curve/sweep.csv");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), points + 1);
  EXPECT_EQ(run({"report", "curve/sweep.json", "-o", "again"}).exit_code, 0);

  const auto object = run(with(of_three, {"--json"}), stop).json();
  EXPECT_EQ(object["error"]["code"], "interrupted");
  EXPECT_GE(object["runs"].size(), 4U);

  stop.interrupt_after_talk = "the demo model is untrained";  // said when it is opened
  const auto nothing = run(with(sweep, {"--model", "demo", "-o", "none"}), stop);
  EXPECT_EQ(nothing.exit_code, 130) << nothing.err;
  EXPECT_EQ(nothing.out, "");
  EXPECT_FALSE(exists("none"));
}

TEST_F(BeforeWork, AStoppedQuerySaysWhyItHasNoAnswers) {
  pictures("photos", 24);
  ASSERT_EQ(run({"index", "add", "db", "photos", "--size", "28x28", "--model", "demo"}).exit_code, 0);
  RunOptions stop;
  stop.signal_after_first_talk = SIGINT;
  const auto result = run({"query", "db", "photos", "--size", "700x700", "-o", "out"}, stop);
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_NE(result.err.find(" of 24 queries; answers need all of them, so nothing was written"), std::string::npos) << result.err;
  EXPECT_FALSE(exists("out"));
}

TEST_F(BeforeWork, PhotosAFilterCannotFindAreTold) {
  pictures("drive", 4);
  text_file("some.csv", "image,lat,lon,time\n0.png,59.4,24.7,10\n3.png,59.5,24.8,60\n");
  text_file("plane.csv", "image,east,north\n0.png,5,6\n1.png,7,8\n");
  const auto add = [&](const std::string& index, const std::vector<std::string>& more) {
    ASSERT_EQ(run(with({"index", "add", index, "drive", "--size", "28x28"}, more)).exit_code, 0);
  };
  const auto ask = [&](const std::string& index, const std::vector<std::string>& filter) {
    return run(with({"query", index, "drive/3.png", "--positions", "some.csv", "--json"}, filter));
  };
  add("bare", {});
  add("some", {"--positions", "some.csv"});
  add("plane", {"--positions", "plane.csv"});

  const auto partly = ask("some", {"--exclude-seconds", "5"});
  ASSERT_EQ(partly.exit_code, 0) << partly.err;
  EXPECT_EQ(partly.json()["queries"][0]["matches"].size(), 1U);
  EXPECT_NE(partly.err.find("2 of 4 photos in the index have no time"), std::string::npos) << partly.err;
  EXPECT_NE(ask("some", {"--near", "59.4,24.7", "--radius", "9"}).err.find("2 of 4 photos in the index have no position"),
            std::string::npos);

  const auto untimed = ask("bare", {"--exclude-seconds", "5"});
  EXPECT_EQ(untimed.exit_code, 2);
  EXPECT_NE(untimed.out.find("no photo of index 'bare' has one"), std::string::npos) << untimed.out;

  const auto plane = ask("plane", {"--near", "59.4,24.7", "--radius", "9"});
  EXPECT_EQ(plane.exit_code, 2);
  EXPECT_NE(plane.out.find("the photos of index 'plane' have only metres east and north"), std::string::npos) << plane.out;
}

}  // namespace
}  // namespace revisit::testing

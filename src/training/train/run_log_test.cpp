// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/train/run_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "test_files.h"
#include "training/train/curve.h"
#include "training/train/progress_line.h"

namespace revisit::train {
namespace {

using revisit::testing::TemporaryFolder;
using revisit::testing::thrown_by;

StepResult result(double loss) {
  StepResult out;
  out.loss = out.place_loss = loss;
  out.tier_weights = {1, 0.9};
  return out;
}

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::string> out;
  for (std::string line; std::getline(file, line);) out.push_back(line);
  return out;
}

void add_steps(RunLog& log, int first, int last) {
  for (int step = first; step <= last; ++step) log.add(step, result(1.0 / step), {});
}

TEST(RunLog, WritesALineAStepAndALineAValidation) {
  const TemporaryFolder folder;
  RunLog log(folder / "log.jsonl");
  EXPECT_TRUE(log.empty());
  log.add(0, Recalls{{1, 10, 20, 30}}, 0.5);
  StepResult step = result(0.25);
  step.distillation = 0.125;
  step.context = 0.5;
  StepSurroundings around;
  around.unreadable = 1;
  around.unreadable_now = {"a\xff.jpg"};
  log.add(1, step, around);
  EXPECT_FALSE(log.empty());
  const auto lines = lines_of(folder / "log.jsonl");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], R"({"step":0,"validation":[{"rho":1.0,"recall@1":10.0,"recall@5":20.0,"recall@10":30.0}],"seconds":0.5})");
  const std::string losses = R"("step":1,"loss":0.25,"place_loss":0.25,"distillation":0.125,"context":0.5,"rho":1.0)";
  EXPECT_NE(lines[1].find(losses), std::string::npos) << lines[1];
  EXPECT_NE(lines[1].find(R"("tier_weights":[1.0,0.9],"ghost":null)"), std::string::npos) << lines[1];
  EXPECT_NE(lines[1].find("unreadable_now"), std::string::npos);
}

TEST(RunLog, IsCutAfterTheStepOfTheCheckpoint) {
  const TemporaryFolder folder;
  {
    RunLog log(folder / "log.jsonl");
    log.add(0, Recalls{{1, 1, 1, 1}}, 0);
    add_steps(log, 1, 4);
    log.add(4, Recalls{{1, 4, 4, 4}}, 0);
    add_steps(log, 5, 6);
  }
  RunLog log(folder / "log.jsonl");
  log.cut(5, 4);
  EXPECT_EQ(lines_of(folder / "log.jsonl").size(), 7U);
  ASSERT_EQ(log.history().steps.size(), 5U);
  EXPECT_EQ(log.history().steps.back().loss, 0.2);
  ASSERT_EQ(log.history().validations.size(), 2U);
  EXPECT_EQ(log.history().validations[1].recalls[0].at1, 4);
  add_steps(log, 6, 6);
  EXPECT_EQ(lines_of(folder / "log.jsonl").size(), 8U);

  log.cut(4, 0);  // the checkpoint came before the validation
  EXPECT_EQ(lines_of(folder / "log.jsonl").size(), 5U);
  log.cut(-1, -1);
  EXPECT_TRUE(log.empty());
}

TEST(RunLog, ALineThatACrashLeftUnfinishedIsDropped) {
  const TemporaryFolder folder;
  {
    RunLog log(folder / "log.jsonl");
    add_steps(log, 1, 2);
  }
  std::ofstream(folder / "log.jsonl", std::ios::app) << R"({"step":3,"lo)";
  RunLog log(folder / "log.jsonl");
  log.cut(10, 10);
  EXPECT_EQ(lines_of(folder / "log.jsonl").size(), 2U);
  add_steps(log, 3, 3);
  EXPECT_EQ(lines_of(folder / "log.jsonl").size(), 3U);
}

TEST(RunLog, TwoRunsCannotWriteOneFolder) {
  const TemporaryFolder folder;
  const RunLog first(folder / "log.jsonl");
  const Error error = thrown_by([&] { const RunLog second(folder / "log.jsonl"); });
  EXPECT_EQ(error.code(), ErrorCode::kIo);
  EXPECT_NE(std::string(error.what()).find("another training run"), std::string::npos);
}

TEST(Curve, ShowsLossAndRecallOfEveryRho) {
  History history;
  for (int step = 1; step <= 3000; ++step) history.steps.push_back({step, 2.0 / step});
  history.validations = {{0, {{1, 5, 9, 9}, {0.5, 2, 9, 9}}}, {3000, {{1, 61.25, 90, 95}, {0.5, 40, 90, 95}}}};
  const std::string svg = draw_curve(history, "a <b> & c");
  EXPECT_NE(svg.find("a &lt;b&gt; &amp; c"), std::string::npos);
  EXPECT_NE(svg.find("rho 1: 61.2"), std::string::npos);
  EXPECT_NE(svg.find("rho 0.5: 40.0"), std::string::npos);
  EXPECT_LT(svg.size(), 60'000U);  // thinned
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(Curve, CanBeDrawnBeforeThereIsAnything) {
  const std::string svg = draw_curve({}, "x");
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(TrainProgress, HasRateTimeLossAndWaiting) {
  EXPECT_EQ(format_progress({120, 4000, 18.25, 912, 0.81234, 0.021, 0}),
            "training 120/4000  3.0 %  18.2 img/s  ETA 15:12  loss 0.8123  waiting 2 %");
  EXPECT_TRUE(format_progress({1, 2, 1, 3661, 1, 0, 4}).ends_with("ETA 1:01:01  loss 1.0000  waiting 0 %  unreadable 4"));
}

TEST(TrainProgress, SentencesWipeTheLineOfATerminal) {
  double now = 0;
  std::string seen;
  ProgressLine line(
      true, [&] { return now; }, [&](const std::string& text) { seen += text; });
  now = 1;
  line.update({1, 2, 1, 1, 1, 0, 0});
  const std::size_t columns = seen.size() - 1;
  seen.clear();
  line.say("a sentence");
  EXPECT_EQ(seen, "\r" + std::string(columns, ' ') + "\ra sentence\n");
}

/// Driven by hand: `now` is the time, and `seen` what was shown.
struct Told {
  explicit Told(bool terminal)
      : line(
            terminal, [this] { return now; }, [this](const std::string& text) { seen += text; }) {}
  /// What a run that hears nothing shows until `until`.
  std::string wait(double until) {
    seen.clear();
    for (; now < until; now += 0.25) line.tick();
    return seen;
  }

  double now = 0;
  std::string seen;
  ProgressLine line;
};

TEST(TrainProgress, TheFirstStageIsShownAtOnceAndALongOneEveryTenSeconds) {
  Told told(false);
  told.line.begin("reading the backbone 'a.pth'");
  EXPECT_EQ(told.seen, "reading the backbone 'a.pth'\n");
  EXPECT_EQ(told.wait(9.9), "");
  EXPECT_EQ(told.wait(31),
            "reading the backbone 'a.pth'  10 s\nreading the backbone 'a.pth'  20 s\nreading the backbone 'a.pth'  30 s\n");
}

TEST(TrainProgress, AStageThatLastsIsToldWithItsCountAndAQuickOneIsNot) {
  Told told(false);
  told.line.begin("starting");
  told.seen.clear();
  told.line.begin("quick");
  EXPECT_EQ(told.wait(0.5), "");
  told.line.begin("describing pictures");
  told.line.count(3, 40);
  EXPECT_EQ(told.wait(2), "describing pictures  3/40  1 s\n");
  told.line.count(20, 40);
  EXPECT_EQ(told.wait(11.7), "describing pictures  20/40  11 s\n");
  told.line.clear();
  EXPECT_EQ(told.wait(60), "") << "nothing is being done";
}

TEST(TrainProgress, AStepThatTakesMinutesIsToldToo) {
  Told told(false);
  told.line.begin("starting");
  told.now = 11;
  told.line.update({1, 2, 1, 1, 1, 0, 0});
  const std::string line = format_progress({1, 2, 1, 1, 1, 0, 0});
  EXPECT_EQ(told.wait(32), line + "  (10 s)\n" + line + "  (20 s)\n");
  told.line.begin("within the step");
  EXPECT_EQ(told.wait(44), "within the step  9 s\n");
}

TEST(TrainProgress, WhatHappensWithinStepsDoesNotTakeTheirLine) {
  Told told(false);
  told.line.begin("starting");
  std::string seen;
  for (int step = 1; step < 31; ++step) {
    seen += told.wait(2.0 * step - 1.5);
    told.line.begin("within the step");
    seen += told.wait(2.0 * step);
    told.seen.clear();
    told.line.update({step, 30, 1, 1, 1, 0, 0});
    seen += told.seen;
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), '\n'), 6) << seen;
  EXPECT_EQ(seen.find("within"), seen.rfind("within")) << "before the first step is done, once: " << seen;
}

TEST(TrainProgress, ATerminalShowsTheStageUntilASentenceWipesIt) {
  Told told(true);
  told.line.begin("starting");
  EXPECT_EQ(told.seen, "\rstarting");
  EXPECT_EQ(told.wait(0.4), "\rstarting");
  told.line.begin("next");
  EXPECT_EQ(told.wait(0.6), "\rnext    ");
  told.seen.clear();
  told.line.say("a sentence");
  EXPECT_EQ(told.seen, "\r    \ra sentence\n");
}

TEST(TrainProgress, AFileGetsALineEveryTenSeconds) {
  double now = 0;
  int lines = 0;
  ProgressLine line(
      false, [&] { return now; }, [&](const std::string& text) { lines += text.ends_with("\n") ? 1 : 100; });
  for (; now < 60.5; now += 0.5) line.update({1, 2, 1, 1, 1, 0, 0});
  EXPECT_EQ(lines, 6);
}

}  // namespace
}  // namespace revisit::train

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The progress line and when it is shown, with a clock set by hand.
#include "cli/progress.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace revisit::cli {
namespace {

TEST(Progress, EtaIsMinutesAndSecondsAndHoursWhenNeeded) {
  EXPECT_EQ(format_eta(7), "0:07");
  EXPECT_EQ(format_eta(912), "15:12");
  EXPECT_EQ(format_eta(3723), "1:02:03");
  EXPECT_EQ(format_eta(59.6), "1:00");
  EXPECT_EQ(format_eta(-1), "?");
  EXPECT_EQ(format_eta(NAN), "?");
  EXPECT_EQ(format_eta(INFINITY), "?");
}

TEST(Progress, LineHasCountShareRateAndTimeLeft) {
  EXPECT_EQ(format_progress({"describing", 1240, 10000, 2, 124}),
            "describing 1240/10000  12.4 %  10.0 img/s  ETA 14:36  skipped 2");
  EXPECT_EQ(format_progress({"describing", 0, 5, 0, 0}), "describing 0/5  0.0 %  0.0 img/s  ETA ?");
  EXPECT_EQ(format_progress({"describing", 0, 0, 0, 1}), "describing 0/0  100.0 %  0.0 img/s  ETA ?");
}

struct Recorder {
  double now_s = 0;
  std::vector<std::string> lines;
  Progress make(bool terminal) {
    return {"describing", 100, terminal, [this] { return now_s; }, [this](const std::string& text) { lines.push_back(text); }};
  }
};

TEST(Progress, OffATerminalSaysOneLineEveryTenSeconds) {
  Recorder recorder;
  Progress progress = recorder.make(false);
  for (std::size_t i = 1; i <= 50; ++i) {
    recorder.now_s = static_cast<double>(i) * 0.5;
    progress.update(i, 0);
  }
  ASSERT_EQ(recorder.lines.size(), 2U);
  EXPECT_EQ(recorder.lines[0], "describing 20/100  20.0 %  2.0 img/s  ETA 0:40\n");
  EXPECT_EQ(recorder.lines[1], "describing 40/100  40.0 %  2.0 img/s  ETA 0:30\n");
}

TEST(Progress, OnATerminalRewritesOneLineAndWipesIt) {
  Recorder recorder;
  {
    Progress progress = recorder.make(true);
    recorder.now_s = 1;
    progress.update(1, 0);
    recorder.now_s = 1.01;  // too soon to show again
    progress.update(2, 0);
    recorder.now_s = 2;
    progress.update(3, 1);
  }
  ASSERT_EQ(recorder.lines.size(), 3U);
  EXPECT_EQ(recorder.lines[0].front(), '\r');
  EXPECT_EQ(recorder.lines[0].find('\n'), std::string::npos);
  EXPECT_NE(recorder.lines[1].find("skipped 1"), std::string::npos);
  EXPECT_EQ(recorder.lines[2].find_first_not_of("\r "), std::string::npos);
}

}  // namespace
}  // namespace revisit::cli

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "recognise/ingest/pace.h"

#include <gtest/gtest.h>

namespace revisit {
namespace {

constexpr int kThreads = 2;
constexpr int kTogether = 5;
constexpr int kTrial = 2 + 8;  // each thread's first photo, and those that count

/// The way that is left after a photo took so long in each; also that each was tried for as long as it should be.
bool apart_in_the_end(double together_s, double apart_s) {
  Pace pace(kThreads, 1000, kTogether);
  double now = 100 + 50;  // the first photo takes long and does not count
  for (int i = 0; i < kTogether; ++i, now += together_s) {
    EXPECT_FALSE(pace.apart());
    pace.described_together(now);
  }
  now += 70;  // nor do the first ones of each thread
  for (int i = 0; i < kTrial; ++i, now += apart_s) {
    EXPECT_TRUE(pace.apart());
    pace.described_apart(now);
  }
  const bool out = pace.apart();
  for (int i = 0; i < 100; ++i, now += 1e-3) {  // settled for the rest of the run
    pace.described_together(now);
    pace.described_apart(now);
    EXPECT_EQ(pace.apart(), out);
  }
  return out;
}

TEST(Pace, ChoosesTheFasterWay) {
  EXPECT_TRUE(apart_in_the_end(1.0, 0.9));
  EXPECT_FALSE(apart_in_the_end(0.9, 1.0));
  EXPECT_TRUE(apart_in_the_end(1e-3, 1e-5));
}

TEST(Pace, OneThreadAndFewPhotosStayTogether) {
  const auto tries = [](int threads, std::size_t photos) {
    Pace pace(threads, photos, kTogether);
    for (int i = 0; i < 20; ++i) pace.described_together(i);
    return pace.apart();
  };
  EXPECT_FALSE(tries(1, 1'000'000));
  EXPECT_FALSE(tries(kThreads, 2 * (kTogether + kTrial) - 1));
  EXPECT_TRUE(tries(kThreads, 2 * (kTogether + kTrial)));
  EXPECT_FALSE(tries(1024, 4000)) << "the trial of so many threads takes longer";
}

}  // namespace
}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Scopes: checked while they last, innermost first, on their own thread.
#include "core/base/stop_scope.h"

#include <gtest/gtest.h>

#include <thread>

#include "revisit/error.h"

namespace revisit {
namespace {

std::string sentence_of_stop() {
  try {
    check_stop();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInterrupted);
    return error.what();
  }
  return "";
}

TEST(StopScope, EndsTheWorkBelowItOnceItIsWanted) {
  bool wanted = false;
  EXPECT_EQ(sentence_of_stop(), "") << "without a scope nothing stops";
  {
    const StopScope scope([&] { return wanted; }, "stopped early");
    EXPECT_EQ(sentence_of_stop(), "");
    wanted = true;
    EXPECT_EQ(stop_wanted(), &scope);
    EXPECT_EQ(sentence_of_stop(), "stopped early");
  }
  EXPECT_EQ(sentence_of_stop(), "") << "the scope is over";
}

TEST(StopScope, AsksEveryScopeTheInnermostFirst) {
  bool outer_wants = true, inner_wants = false;
  const StopScope outer([&] { return outer_wants; }, "outer");
  {
    const StopScope inner([&] { return inner_wants; }, "inner");
    const StopScope without_a_question({}, "never");
    EXPECT_EQ(sentence_of_stop(), "outer");
    inner_wants = true;
    EXPECT_EQ(sentence_of_stop(), "inner");
  }
  EXPECT_EQ(sentence_of_stop(), "outer");
}

TEST(StopScope, IsOfItsOwnThread) {
  const StopScope scope([] { return true; }, "stopped");
  bool elsewhere = true;
  std::thread([&] { elsewhere = stop_wanted() != nullptr; }).join();
  EXPECT_FALSE(elsewhere);
}

TEST(StopTicker, AsksSeldomButWithinAFewThousandSteps) {
  int asked = 0;
  const StopScope scope([&] { return ++asked, false; }, "stopped");
  StopTicker ticker;
  for (int i = 0; i < 100'000; ++i) ticker.step();
  EXPECT_GE(asked, 10);
  EXPECT_LE(asked, 20);
  ticker.step(1'000'000'000);
  EXPECT_LE(asked, 21) << "one long step is one question";
  EXPECT_GE(asked, 11);
}

}  // namespace
}  // namespace revisit

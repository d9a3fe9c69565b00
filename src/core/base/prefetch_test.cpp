// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/prefetch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

#include "revisit/error.h"

namespace revisit {
namespace {

TEST(Prefetch, KeepsTheOrderAndEndsEmpty) {
  Prefetch<std::unique_ptr<int>> items(20, [](std::size_t i) { return std::make_unique<int>(static_cast<int>(i)); });
  for (int i = 0; i < 20; ++i) {
    const auto item = items.next();
    ASSERT_TRUE(item);
    EXPECT_EQ(**item, i);
  }
  EXPECT_FALSE(items.next());
  EXPECT_FALSE(items.next());
}

TEST(Prefetch, IsAtMostOneAhead) {
  std::atomic<int> loaded{0};
  Prefetch<int> items(10, [&](std::size_t i) {
    ++loaded;
    return static_cast<int>(i);
  });
  for (int taken = 1; taken <= 10; ++taken) {
    EXPECT_TRUE(items.next());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_LE(loaded, taken + 1);
  }
  EXPECT_EQ(loaded, 10);
}

TEST(Prefetch, ThrowsAtItsPlaceAndNothingComesAfter) {
  Prefetch<int> items(5, [](std::size_t i) -> int {
    if (i == 2) throw std::runtime_error("third");
    return static_cast<int>(i);
  });
  EXPECT_EQ(items.next(), 0);
  EXPECT_EQ(items.next(), 1);
  EXPECT_THROW(items.next(), std::runtime_error);
  EXPECT_FALSE(items.next());
}

TEST(Prefetch, CanBeLeftEarlyAndMayHaveNothingToDo) {
  std::atomic<int> loaded{0};
  {
    Prefetch<int> left(1000, [&](std::size_t) { return ++loaded; });
    EXPECT_TRUE(left.next());
  }
  EXPECT_LE(loaded, 2);
  Prefetch<int> none(0, [](std::size_t) { return 1; });
  EXPECT_FALSE(none.next());
}

// Loads for ever, as a hostile file might, but checks for a stop.
int endless(std::size_t) {
  while (true) {
    check_stop();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(Prefetch, DoesNotWaitForALoadNobodyNeeds) {
  const auto start = std::chrono::steady_clock::now();
  { const Prefetch<int> left(2, endless); }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST(Prefetch, StopsWaitingWhenItsConsumerIsToStop) {
  std::atomic<bool> wanted{false};
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    wanted = true;
  });
  const auto start = std::chrono::steady_clock::now();
  {
    const StopScope scope([&] { return wanted.load(); }, "stopped as asked");
    Prefetch<int> items(2, endless);
    try {
      items.next();
      ADD_FAILURE() << "it waited to the end";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInterrupted);
      EXPECT_STREQ(error.what(), "stopped as asked");
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  later.join();
}

}  // namespace
}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/prefetch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
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

TEST(Prefetch, BySeveralThreadsKeepsOrderAndBound) {
  std::atomic<int> begun{0}, inside{0}, most_inside{0};
  Prefetch<int> items(200, [&](std::size_t i) {
    ++begun;
    most_inside = std::max(most_inside.load(), ++inside);
    std::this_thread::sleep_for(std::chrono::microseconds(i % 7 * 100));
    --inside;
    return static_cast<int>(i);
  });
  for (int i = 0; i < 200; ++i) {
    if (i == 5) items.set_pace(4, 6);
    if (i == 150) items.set_pace(1, 1);
    EXPECT_LE(begun, i + (i < 5 ? 1 : 6));
    EXPECT_EQ(items.next(), i);
    if (i == 160) most_inside = 0;
  }
  EXPECT_FALSE(items.next());
  EXPECT_EQ(most_inside, 1) << "after the pace went back to one thread";
}

TEST(Prefetch, BySeveralThreadsLoadsAtTheSameTime) {
  std::atomic<int> inside{0};
  Prefetch<bool> items(3, [&](std::size_t i) {
    if (i == 0) return true;
    ++inside;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (inside < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return inside == 2;
  });
  items.next();
  items.set_pace(2, 2);
  EXPECT_EQ(items.next(), true);
  EXPECT_EQ(items.next(), true);
}

TEST(Prefetch, BySeveralThreadsThrowsAtItsPlaceToo) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::atomic<std::size_t> last{0};
    Prefetch<int> items(1000, [&](std::size_t i) -> int {
      std::size_t seen = last;
      while (i > seen && !last.compare_exchange_weak(seen, i)) {
      }
      if (i >= 20) throw std::runtime_error(std::to_string(i));
      std::this_thread::sleep_for(std::chrono::microseconds(i % 3 * 50));
      return static_cast<int>(i);
    });
    items.set_pace(4, 8);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(items.next(), i);
    try {
      items.next();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "20");
    }
    EXPECT_FALSE(items.next());
    EXPECT_LT(last, 28U) << "what comes after a failure is not begun";
  }
}

TEST(Prefetch, BySeveralThreadsCanBeLeftEarly) {
  const auto start = std::chrono::steady_clock::now();
  {
    Prefetch<int> left(10, endless);
    left.set_pace(4, 8);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

}  // namespace
}  // namespace revisit

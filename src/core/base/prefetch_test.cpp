// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/prefetch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>

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

}  // namespace
}  // namespace revisit

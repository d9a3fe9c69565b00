// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/room.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "core/base/stop_scope.h"
#include "revisit/error.h"

namespace revisit {
namespace {

TEST(Room, HoldsNoMoreThanItsBytesUnlessOneItemIsLarger) {
  Room room(100);
  std::atomic<int> held{0}, most{0}, large{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const Room::Guest guest(room);
        const int bytes = i % 50 == t ? 500 : 40;
        take_room(static_cast<std::uint64_t>(bytes));
        take_room(1000);  // only the first counts
        const int now = held += bytes;
        if (bytes == 500) {
          EXPECT_EQ(now, 500) << "a large one is alone";
          ++large;
        } else {
          int seen = most;
          while (now > seen && !most.compare_exchange_weak(seen, now)) {
          }
        }
        held -= bytes;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(large, 24);
  EXPECT_LE(most, 80);
  take_room(1'000'000);  // of no room: nothing to wait for
}

TEST(Room, WaitingForItEndsWithTheThreadsScope) {
  Room room(100);
  const Room::Guest guest(room);
  take_room(100);
  std::thread([&] {
    const StopScope scope([] { return true; }, "stopped as asked");
    const Room::Guest other(room);
    EXPECT_THROW(take_room(1), Error);
  }).join();
}

}  // namespace
}  // namespace revisit

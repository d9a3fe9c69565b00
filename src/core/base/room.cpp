// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Who waits holds nothing, so that all who wait are served in the end.
#include "core/base/room.h"

#include <chrono>

#include "core/base/stop_scope.h"

namespace revisit {
namespace {

constexpr std::chrono::milliseconds kBetweenQuestions{50};
thread_local Room::Guest* present = nullptr;

}  // namespace

Room::Guest::Guest(Room& room) : room_(room) { present = this; }

Room::Guest::~Guest() {
  present = nullptr;
  if (taken_ == 0) return;
  {
    const std::lock_guard guard(room_.mutex_);
    room_.taken_ -= taken_;
  }
  room_.changed_.notify_all();
}

void take_room(std::uint64_t bytes) {
  if (present == nullptr || present->taken_ > 0) return;
  Room& room = present->room_;
  std::unique_lock lock(room.mutex_);
  const auto fits = [&] { return room.taken_ == 0 || (room.taken_ <= room.bytes_ && bytes <= room.bytes_ - room.taken_); };
  while (!room.changed_.wait_for(lock, kBetweenQuestions, fits)) {
    lock.unlock();
    check_stop();
    lock.lock();
  }
  room.taken_ += bytes;
  present->taken_ = bytes;
}

}  // namespace revisit

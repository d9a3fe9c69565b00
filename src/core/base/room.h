// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A bound on the memory of threads that work side by side on items whose size only their bytes tell. Who is about to allocate for
// such an item says so, however deep it is.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace revisit {

class Room {
 public:
  explicit Room(std::uint64_t bytes) : bytes_(bytes) {}

  /// From here to its end, on this thread: the first take_room() counts against the room. Guests do not nest.
  class Guest {
   public:
    explicit Guest(Room& room);
    ~Guest();
    Guest(const Guest&) = delete;
    Guest& operator=(const Guest&) = delete;

   private:
    friend void take_room(std::uint64_t bytes);

    Room& room_;
    std::uint64_t taken_ = 0;
  };

 private:
  friend void take_room(std::uint64_t bytes);

  const std::uint64_t bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t taken_ = 0;  // guarded by mutex_
};

/// Waits until this thread's room holds so many bytes more; an item that is larger than the room gets all of it to itself.
/// Returns at once without a room. Checks the thread's scopes meanwhile (StopScope).
void take_room(std::uint64_t bytes);

}  // namespace revisit

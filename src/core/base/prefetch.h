// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Loading ahead: items are loaded on threads of their own while earlier ones are being processed. Decoding and inference overlap
// this way.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/stop_scope.h"

namespace revisit {

/// Hands out load(0), load(1), ... in order; at first by one thread that is at most one ahead, so that two loaded items exist at
/// any time. What load throws is thrown by next(), and nothing comes after it. May be destroyed at any time: loads that run are
/// told to stop (StopScope) and waited for. While next() waits it checks the consumer's own scopes.
template <typename Item>
class Prefetch {
 public:
  using Load = std::function<Item(std::size_t)>;

  Prefetch(std::size_t count, Load load) : count_(count), load_(std::move(load)) {
    threads_.emplace_back([this] { work(0); });
  }
  ~Prefetch() {
    left_ = true;
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (auto& thread : threads_) thread.join();
  }
  Prefetch(const Prefetch&) = delete;
  Prefetch& operator=(const Prefetch&) = delete;

  /// From now on so many threads load, as far as the system gives them, and at most `ahead` items are begun and not taken.
  void set_pace(std::size_t threads, std::size_t ahead) {
    {
      const std::lock_guard lock(mutex_);
      active_ = threads;
      ahead_ = ahead;
    }
    changed_.notify_all();
    try {
      while (threads_.size() < std::min(threads, count_)) threads_.emplace_back([this, self = threads_.size()] { work(self); });
    } catch (const std::system_error&) {  // those that are there do the work
    }
  }

  /// Empty after the last.
  std::optional<Item> next() {
    std::unique_lock lock(mutex_);
    if (taken_ == count_) return std::nullopt;
    while (!changed_.wait_for(lock, kBetweenQuestions, [this] { return !slots_.empty() && slots_.front().ready; })) {
      lock.unlock();
      check_stop();
      lock.lock();
    }
    Slot slot = std::move(slots_.front());
    slots_.pop_front();
    taken_ = slot.failure ? count_ : taken_ + 1;
    lock.unlock();
    changed_.notify_all();
    if (slot.failure) std::rethrow_exception(slot.failure);
    return std::move(slot.item);
  }

 private:
  static constexpr std::chrono::milliseconds kBetweenQuestions{50};

  struct Slot {
    std::optional<Item> item;
    std::exception_ptr failure{};
    bool ready = false;
  };

  void work(std::size_t self) {
    const StopScope scope([this] { return left_.load(); }, "no longer needed");
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return stop_ || failed_ || begun_ == count_ || (self < active_ && begun_ < taken_ + ahead_); });
      if (stop_ || failed_ || begun_ == count_) return;
      const std::size_t i = begun_++;
      Slot& slot = slots_.emplace_back();  // stays where it is until it is taken
      lock.unlock();
      Slot loaded;
      try {
        loaded.item = load_(i);
      } catch (...) {
        loaded.failure = std::current_exception();
      }
      loaded.ready = true;
      lock.lock();
      slot = std::move(loaded);
      if (slot.failure) failed_ = true;
      changed_.notify_all();
    }
  }

  const std::size_t count_;
  const Load load_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Slot> slots_;  // of items taken_ to begun_ - 1; guarded by mutex_, like what follows
  std::size_t taken_ = 0;
  std::size_t begun_ = 0;
  std::size_t active_ = 1;  // how many of the threads load
  std::size_t ahead_ = 1;
  bool failed_ = false;
  bool stop_ = false;
  std::atomic<bool> left_{false};
  std::vector<std::thread> threads_;  // last: they use all of the above
};

}  // namespace revisit

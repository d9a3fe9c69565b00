// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Loading ahead: item i + 1 is loaded on its own thread while item i is being processed. Decoding and inference overlap this way.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/stop_scope.h"

namespace revisit {

/// Hands out load(0), load(1), ... in order; at most one is ahead, so that two loaded items exist at any time. What load throws
/// is thrown by next(), and nothing comes after it. May be destroyed at any time: the current load is told to stop (StopScope)
/// and waited for. While next() waits it checks the consumer's own scopes.
template <typename Item>
class Prefetch {
 public:
  using Load = std::function<Item(std::size_t)>;

  Prefetch(std::size_t count, Load load) : count_(count), load_(std::move(load)), thread_([this] { work(); }) {}
  ~Prefetch() {
    left_ = true;
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Prefetch(const Prefetch&) = delete;
  Prefetch& operator=(const Prefetch&) = delete;

  /// Empty after the last.
  std::optional<Item> next() {
    if (taken_ == count_) return std::nullopt;
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kBetweenQuestions, [this] { return ready_.has_value() || failure_; })) {
      lock.unlock();
      check_stop();
      lock.lock();
    }
    if (failure_) {
      taken_ = count_;
      std::rethrow_exception(failure_);
    }
    ++taken_;
    std::optional<Item> out = std::exchange(ready_, std::nullopt);
    wanted_ = true;
    lock.unlock();
    changed_.notify_all();
    return out;
  }

 private:
  static constexpr std::chrono::milliseconds kBetweenQuestions{50};

  void work() {
    const StopScope scope([this] { return left_.load(); }, "no longer needed");
    for (std::size_t i = 0; i < count_; ++i) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return wanted_ || stop_; });
        if (stop_) return;
        wanted_ = false;
      }
      std::optional<Item> loaded;
      std::exception_ptr failure;
      try {
        loaded = load_(i);
      } catch (...) {
        failure = std::current_exception();
      }
      {
        const std::lock_guard lock(mutex_);
        ready_ = std::move(loaded);
        failure_ = failure;
      }
      changed_.notify_all();
      if (failure) return;
    }
  }

  const std::size_t count_;
  const Load load_;
  std::size_t taken_ = 0;  // the consumer's alone
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Item> ready_;  // guarded by mutex_, like what follows
  std::exception_ptr failure_;
  bool wanted_ = true;  // the consumer has taken the last one
  bool stop_ = false;
  std::atomic<bool> left_{false};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace revisit

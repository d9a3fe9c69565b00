// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// All threads on one photo, or one photo per thread: whichever describes more photos per second, measured once per run.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>

namespace revisit {

/// First some photos are described together, by all threads one after the other; then some apart, one per thread; the faster way
/// does the rest. Reports of apart photos may come from any thread.
class Pace {
 public:
  /// `together` is how many photos are described in the first way before the second is tried, at least 2. It is not tried by one
  /// thread, and not when there are so few photos that it could not pay.
  Pace(int threads, std::size_t photos, int together);

  /// How photos are to be described now.
  bool apart() const { return apart_.load(std::memory_order_relaxed); }

  /// A photo has been described so; `now_s` is of any clock that does not go back.
  void described_together(double now_s);
  void described_apart(double now_s);

  /// Photos of the trial: each thread's first ones, whose memory is new, and those that count.
  static int warm_up(int threads) { return threads; }
  static int measured(int threads);

 private:
  enum class State { kTogether, kTrial, kSettled };

  const int threads_;
  const int together_;
  std::atomic<bool> apart_{false};
  std::mutex mutex_;
  State state_;  // guarded by mutex_, like what follows
  int done_ = 0;
  double start_s_ = 0;
  double together_rate_ = 0;  // photos per second
};

}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How reading is stopped from outside. Work that untrusted bytes can make long runs inside a StopScope; loops over such bytes
// check it now and then, however deep they are. Signals play no part here: the condition is the caller's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace revisit {

/// From here to its end, on this thread: when wanted() says yes, the work below ends with Error kInterrupted and `sentence`.
/// Scopes nest, and each is checked. An empty function never stops anything.
class StopScope {
 public:
  StopScope(std::function<bool()> wanted, std::string sentence);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  [[noreturn]] void end_work() const;  ///< throws that Error

 private:
  friend const StopScope* stop_wanted();

  std::function<bool()> wanted_;
  std::string sentence_;
  const StopScope* outer_;
};

/// The scope of this thread that wants the work to end, or null. For code that may not throw, such as callbacks of C libraries:
/// it keeps the answer, for the next one may be another, and calls end_work() where it may throw.
const StopScope* stop_wanted();

/// Throws Error kInterrupted when a scope of this thread wants the work to end.
void check_stop();

/// check_stop() for loops whose steps are short: checks once in a few thousand.
class StopTicker {
 public:
  /// `cost` of a step, in about the time it takes to look at a byte or two.
  void step(std::uint64_t cost = 1) {
    spent_ += cost;
    if (spent_ < kBetweenQuestions) return;
    spent_ = 0;
    check_stop();
  }

 private:
  static constexpr std::uint64_t kBetweenQuestions = 8'192;
  std::uint64_t spent_ = 0;
};

}  // namespace revisit

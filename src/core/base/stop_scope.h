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

 private:
  friend bool stop_wanted();
  friend void check_stop();
  static const StopScope* first_that_wants();

  std::function<bool()> wanted_;
  std::string sentence_;
  const StopScope* outer_;
};

/// Whether a scope of this thread wants the work to end. For code that must not throw, such as callbacks of C libraries.
bool stop_wanted();

/// Throws Error kInterrupted when stop_wanted().
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

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What reading a hostile file costs, measured in a process of its own: processor time and growth of memory.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>

#include "revisit/error.h"

namespace revisit::testing {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

/// Everything takes several times longer: under a sanitizer, or under qemu, whose processor the presets name.
inline const bool kSlow = kSanitized || std::getenv("QEMU_CPU") != nullptr;

inline constexpr std::size_t kLongestAnswer = 4'000;  // fits a pipe, and is more than anyone should have to read

struct ReadingCost {
  std::string answer;  ///< the sentence of the Error, "accepted", or empty when the process did not end by itself
  double seconds = 0;  ///< of processor time
  long growth_kb = 0;  ///< of resident memory
};

inline ReadingCost cost_of(const std::function<void()>& action) {
  ReadingCost out;
  int ends[2];
  if (::pipe(ends) != 0) return out;
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    const rlimit patience{kSlow ? 120U : 20U, RLIM_INFINITY};  // seconds: ends a hang
    ::setrlimit(RLIMIT_CPU, &patience);
    rusage before{}, after{};
    ::getrusage(RUSAGE_SELF, &before);
    std::string answer = "accepted";
    try {
      action();
    } catch (const Error& error) {
      answer = error.what();
    }
    ::getrusage(RUSAGE_SELF, &after);
    answer.resize(std::min<std::size_t>(answer.size(), kLongestAnswer));
    const long growth_kb = after.ru_maxrss - before.ru_maxrss;
    const bool told = ::write(ends[1], &growth_kb, sizeof(growth_kb)) == sizeof(growth_kb) &&
                      ::write(ends[1], answer.data(), answer.size()) == static_cast<ssize_t>(answer.size());
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  if (::read(ends[0], &out.growth_kb, sizeof(out.growth_kb)) == sizeof(out.growth_kb)) {
    out.answer.resize(kLongestAnswer);
    const ssize_t got = ::read(ends[0], out.answer.data(), out.answer.size());
    out.answer.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  }
  ::close(ends[0]);
  rusage usage{};
  ::wait4(child, nullptr, 0, &usage);
  out.seconds = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  return out;
}

/// `action` must end within a second of processor time and 100 MB, with `part` in its sentence ("accepted" when it throws
/// nothing), and never make a sentence nobody can read.
inline void expect_cheap(const std::string& label, const std::function<void()>& action, const std::string& part) {
  const ReadingCost cost = cost_of(action);
  EXPECT_NE(cost.answer.find(part), std::string::npos) << label << ": " << cost.answer << "\nexpected: " << part;
  EXPECT_LE(cost.answer.size(), 1'000U) << label;
  if (kSlow) return;
  EXPECT_LE(cost.seconds, 1.0) << label;
  EXPECT_LE(cost.growth_kb, 100 * 1024) << label;
}

}  // namespace revisit::testing

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Ranges of the numbers of a config. All throw Error kBadModel naming the file, the key, the value and its range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "core/base/fail.h"

namespace revisit::model {

constexpr std::size_t kMaxTextBytes = 1000;  ///< of provenance, licence and the like

/// `name` names the file in error messages and must outlive it.
class Checker {
 public:
  explicit Checker(const std::string& name) : name_(name) {}

  void whole(const char* key, std::int64_t value, std::int64_t low, std::int64_t high) const {
    if (value < low || value > high) {
      fail(ErrorCode::kBadModel, "'{}': {} is {}, outside {} to {}", name_, key, value, low, high);
    }
  }
  void real(const char* key, double value, double low, double high) const {
    if (!(value >= low && value <= high)) {  // also true for NaN
      fail(ErrorCode::kBadModel, "'{}': {} is {}, outside {} to {}", name_, key, value, low, high);
    }
  }
  void multiple(const char* key, int value, const char* of, int divisor) const {
    if (value % divisor != 0) fail(ErrorCode::kBadModel, "'{}': {} {} is not a multiple of {} {}", name_, key, value, of, divisor);
  }
  void text(const char* key, const std::string& value) const {
    if (value.size() > kMaxTextBytes) {
      fail(ErrorCode::kBadModel, "'{}': {} has {} bytes, more than {}", name_, key, value.size(), kMaxTextBytes);
    }
  }
  /// Any other problem, as a whole sentence about `name`.
  template <typename... Args>
  [[noreturn]] void wrong(fmt::format_string<Args...> sentence, Args&&... args) const {
    fail(ErrorCode::kBadModel, "'{}': {}", name_, fmt::format(sentence, std::forward<Args>(args)...));
  }

 private:
  const std::string& name_;
};

}  // namespace revisit::model

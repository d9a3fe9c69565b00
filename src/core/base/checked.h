// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Sizes through functions, not operators: a product or sum that overflows is an error with a name.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/fail.h"

namespace revisit {

inline std::uint64_t checked_mul(std::uint64_t a, std::uint64_t b, const std::string& what) {
  std::uint64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out)) fail(ErrorCode::kLimit, "{}: {} x {} overflows 64 bits", what, a, b);
  return out;
}

inline std::uint64_t checked_add(std::uint64_t a, std::uint64_t b, const std::string& what) {
  std::uint64_t out = 0;
  if (__builtin_add_overflow(a, b, &out)) fail(ErrorCode::kLimit, "{}: {} + {} overflows 64 bits", what, a, b);
  return out;
}

}  // namespace revisit

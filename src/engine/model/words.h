// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Enums and their names in model files and on the command line: one table each.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "core/base/fail.h"

namespace revisit::model {

template <typename Enum, std::size_t N>
using Words = std::array<std::pair<Enum, const char*>, N>;

template <typename Enum, std::size_t N>
const char* word_of(const Words<Enum, N>& words, Enum value) {
  for (const auto& [candidate, word] : words) {
    if (candidate == value) return word;
  }
  return "unknown";
}

/// Throws Error kBadModel with the known words. `what` names the enum in that sentence.
template <typename Enum, std::size_t N>
Enum value_of(const Words<Enum, N>& words, const std::string& word, const char* what) {
  std::string known;
  for (const auto& [value, candidate] : words) {
    if (word == candidate) return value;
    known += (known.empty() ? "" : ", ") + std::string(candidate);
  }
  fail(ErrorCode::kBadModel, "'{}' is not a {}; known are {}", word, what, known);
}

}  // namespace revisit::model

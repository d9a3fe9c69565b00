// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One bad input must not end a run over many: it becomes data. The one place that decides what counts as such.
#pragma once

#include <filesystem>
#include <optional>

#include "revisit/error.h"

namespace revisit {

/// Of one input file, as opposed to the request, the model, the collection or the machine.
constexpr bool is_input_fault(ErrorCode code) {
  return code == ErrorCode::kBadImage || code == ErrorCode::kBadFile || code == ErrorCode::kLimit || code == ErrorCode::kNotFound;
}

/// Runs `action`; an Error about the input is returned, any other passes through.
template <typename Action>
std::optional<Skipped> or_skip(const std::filesystem::path& input, const Action& action) {
  try {
    action();
    return std::nullopt;
  } catch (const Error& error) {
    if (!is_input_fault(error.code())) throw;
    return Skipped{input.string(), error.code(), error.what()};
  }
}

}  // namespace revisit

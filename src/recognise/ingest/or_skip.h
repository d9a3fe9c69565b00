// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What is wrong with one photo must not end a run over many: it becomes data.
#pragma once

#include <optional>

#include "revisit/photos.h"
#include "revisit/error.h"

namespace revisit {

/// Runs `action`; an Error about an input file (exit code 3) is returned, any other goes on its way.
template <typename Action>
std::optional<Skipped> or_skip(const Photo& photo, const Action& action) {
  constexpr int kBadInputExit = 3;
  try {
    action();
    return std::nullopt;
  } catch (const Error& error) {
    if (exit_code_of(error.code()) != kBadInputExit) throw;
    return Skipped{photo.path.string(), error.code(), error.what()};
  }
}

}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Shorthand to throw Error with a formatted sentence.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "revisit/error.h"

namespace revisit {

template <typename... Args>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<Args...> sentence, Args&&... args) {
  throw Error(code, fmt::format(sentence, std::forward<Args>(args)...));
}

template <typename... Args>
[[noreturn]] void fail_with_hint(ErrorCode code, std::string hint, fmt::format_string<Args...> sentence, Args&&... args) {
  throw Error(code, fmt::format(sentence, std::forward<Args>(args)...), std::move(hint));
}

}  // namespace revisit

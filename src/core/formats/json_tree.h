// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Untrusted JSON as a tree: bounded in depth and values while it is read, in time proportional to its size.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace revisit {

struct JsonLimits {
  int depth = 0;             ///< nested objects and lists
  std::uint64_t values = 0;  ///< keys count too
};

/// `file` is the name of the text in error messages. If a key appears twice the last value counts.
/// Throws Error kBadFile with the byte where it is not JSON, kLimit.
nlohmann::json parse_json(std::string_view text, const std::string& file, const JsonLimits& limits);

/// Refuses a number of more than limits::kMaxJsonNumber characters (Error kLimit). The library keeps a number's text several
/// times before it finds that it cannot represent it, and cannot be stopped while it does.
void check_json_numbers(std::string_view text, const std::string& file);

}  // namespace revisit

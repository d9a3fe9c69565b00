// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A TOML document as plain values that know their line. Dates and times are recognised, but not used.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace revisit {

struct TomlValue;
struct TomlEntry;
struct TomlDate {};
using TomlArray = std::vector<TomlValue>;
using TomlTable = std::vector<TomlEntry>;  // no key twice

struct TomlValue {
  std::variant<TomlDate, bool, std::int64_t, double, std::string, TomlArray, TomlTable> value;
  int line = 0;
};

struct TomlEntry {
  std::string key;
  TomlValue value;
  int line = 0;  // of the key
};

/// `name` is the file's, for error messages. Throws Error kBadFile with line and column, or kLimit.
TomlTable parse_toml(std::string_view text, const std::string& name);

/// The value as a person would write it, on one line and not too long.
std::string shown(const TomlValue& value);

/// Untrusted text in quotes, for a message: control characters visible, long texts cut.
std::string in_quotes(std::string_view text);

}  // namespace revisit

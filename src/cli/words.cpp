// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Flag spelling, grouping, quoting.
#include "cli/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "core/formats/text.h"

namespace revisit::cli {

std::vector<std::string> normalise_arguments(const std::vector<std::string>& arguments) {
  auto out = arguments;
  for (auto& argument : out) {
    if (argument == "--") break;
    if (!argument.starts_with("--")) continue;
    const auto name_end = argument.begin() + static_cast<std::ptrdiff_t>(std::min(argument.find('='), argument.size()));
    std::replace(argument.begin(), name_end, '_', '-');
  }
  return out;
}

std::string group_by_prefix(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  std::map<std::string, std::vector<std::string>> groups;
  for (const auto& name : names) groups[name.substr(0, name.find('.'))].push_back(name);
  std::vector<std::string> shown;
  for (const auto& [prefix, members] : groups) {
    shown.push_back(members.size() == 1 ? members.front() : prefix + ".*");
  }
  const std::size_t hidden = shown.size() > kShown ? shown.size() - kShown : 0;
  shown.resize(shown.size() - hidden);
  return fmt::format("{}{}", fmt::join(shown, ", "), hidden > 0 ? fmt::format(" and {}", counted(hidden, "more group")) : "");
}

std::string on_one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

std::string human_bytes(double bytes) {
  const char* unit = "B";
  for (const auto* larger : {"KB", "MB", "GB", "TB"}) {
    if (bytes < 1024) break;
    bytes /= 1024;
    unit = larger;
  }
  return bytes < 10 && *unit != 'B' ? fmt::format("{:.1f} {}", bytes, unit) : fmt::format("{:.0f} {}", bytes, unit);
}

}  // namespace revisit::cli

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Edit distance (optimal string alignment), flag spelling, grouping.
#include "cli/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace revisit::cli {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table d(i, j): distance between the first i letters of a and the first j of b.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1] ? 1U : 0U)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const auto distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const auto best = nearest_word(word, candidates);
  return best.empty() ? std::string() : fmt::format(" - did you mean '{}'?", best);
}

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
  return fmt::format("{}{}", fmt::join(shown, ", "), hidden > 0 ? fmt::format(" and {} more groups", hidden) : "");
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

std::string shell_quoted(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:@%+";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
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

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Parsers of single cells behind text.h.
#include "core/formats/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

namespace revisit {
namespace {

// Takes exactly `digits` decimal digits from the front.
bool take_digits(std::string_view& text, std::size_t digits, int& out) {
  if (text.size() < digits) return false;
  out = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    out = 10 * out + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return true;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// ":SS" and ".fff", both optional.
bool take_seconds(std::string_view& text, double& out) {
  out = 0;
  if (!take(text, ':')) return true;
  int whole = 0;
  if (!take_digits(text, 2, whole) || whole > 60) return false;
  out = whole;
  if (!take(text, '.')) return true;
  double unit = 0.1;
  const auto before = text.size();
  for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1), unit /= 10)
    out += unit * (text.front() - '0');
  return text.size() < before;
}

// "Z", "+02:00", "+0200", "+02" or nothing: seconds east of UTC.
bool take_zone(std::string_view& text, int& out) {
  out = 0;
  if (text.empty() || take(text, 'Z') || take(text, 'z')) return true;
  const int sign = text.front() == '-' ? -1 : 1;
  if (!take(text, '+') && !take(text, '-')) return false;
  int hours = 0, minutes = 0;
  if (!take_digits(text, 2, hours)) return false;
  if (!text.empty()) {
    take(text, ':');
    if (!take_digits(text, 2, minutes)) return false;
  }
  out = sign * (3600 * hours + 60 * minutes);
  return hours <= 18 && minutes <= 59;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::optional<double> parse_number(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  double out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(out)) return std::nullopt;
  return out;
}

std::optional<double> parse_time(std::string_view text) {
  text = trimmed(text);
  if (const auto seconds = parse_number(text)) return seconds;
  int year = 0, month = 0, day = 0;
  if (!take_digits(text, 4, year) || !take(text, '-') || !take_digits(text, 2, month) || !take(text, '-') ||
      !take_digits(text, 2, day)) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok()) return std::nullopt;
  const double midnight = 86400.0 * static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  if (text.empty()) return midnight;
  int hour = 0, minute = 0, zone = 0;
  double second = 0;
  if (!take(text, 'T') && !take(text, 't') && !take(text, ' ')) return std::nullopt;
  if (!take_digits(text, 2, hour) || !take(text, ':') || !take_digits(text, 2, minute) || hour > 23 || minute > 59)
    return std::nullopt;
  if (!take_seconds(text, second) || !take_zone(text, zone) || !text.empty()) return std::nullopt;
  return midnight + 3600.0 * hour + 60.0 * minute + second - zone;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (std::size_t start = 0;;) {
    const auto end = text.find(separator, start);
    out.push_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return out;
    start = end + 1;
  }
}

std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string counted(std::size_t count, const std::string& noun) {
  if (count == 1) return "1 " + noun;
  const bool y = noun.ends_with("ry");
  return fmt::format("{} {}{}", count, y ? noun.substr(0, noun.size() - 1) : noun, y ? "ies" : "s");
}

std::string with_flags(std::string text, const std::vector<std::string>& flags) {
  for (const auto& flag : flags) {
    std::string field = flag.substr(2);
    std::ranges::replace(field, '-', '_');
    const std::string quoted = "`" + field + "`";
    for (auto at = text.find(quoted); at != std::string::npos; at = text.find(quoted)) text.replace(at, quoted.size(), flag);
  }
  return text;
}

}  // namespace revisit

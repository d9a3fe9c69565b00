// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Text to numbers, sizes and choices. Only whole, finite texts pass: "3x" is not a number.
#include "cli/binding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace revisit::cli {
namespace {

template <typename T>
std::optional<T> parse(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<std::vector<double>> parse_numbers(std::string_view text, Interval range) {
  std::vector<double> numbers;
  for (const auto part : split(text, ',')) {
    const auto number = parse<double>(part);
    if (!number || !std::isfinite(*number) || !range.holds(*number)) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

template <typename Out>
Binding bind_choice(Out& out, std::vector<std::string> choices) {
  return [&out, choices = std::move(choices)](const std::string& text) -> std::string {
    if (std::ranges::find(choices, text) == choices.end()) return fmt::format("one of {}", fmt::join(choices, ", "));
    out = text;
    return {};
  };
}

template <typename Out>
Binding bind_int(Out& out, int low, int high) {
  return [&out, low, high](const std::string& text) -> std::string {
    const auto value = parse<int>(text);
    if (!value || *value < low || *value > high) return fmt::format("a whole number from {} to {}", low, high);
    out = *value;
    return {};
  };
}

template <typename Out>
Binding bind_number(Out& out, Interval range) {
  return [&out, range](const std::string& text) -> std::string {
    const auto value = parse<double>(text);
    if (!value || !std::isfinite(*value) || !range.holds(*value)) return fmt::format("a number in {}", range.text());
    out = *value;
    return {};
  };
}

}  // namespace

std::string Interval::text() const {
  if (std::isinf(low) && std::isinf(high)) return "(-inf, inf)";
  const std::string right = std::isinf(high) ? "inf)" : fmt::format("{}]", high);
  return fmt::format("{}{}, {}", open_low ? "(" : "[", low, right);
}

Binding to_switch(bool& out) {
  return [&out](const std::string& text) -> std::string {
    for (const auto* yes : {"true", "1", "yes", "on"}) {
      if (text == yes) return out = true, std::string();
    }
    for (const auto* no : {"false", "0", "no", "off"}) {
      if (text == no) return out = false, std::string();
    }
    return "1 or 0";
  };
}

Binding to_text(std::string& out) {
  return [&out](const std::string& text) -> std::string {
    if (text.empty()) return "a non-empty text";
    out = text;
    return {};
  };
}

Binding to_text(std::optional<std::string>& out) {
  return [&out](const std::string& text) -> std::string {
    if (text.empty()) return "a non-empty text";
    out = text;
    return {};
  };
}

Binding to_choice(std::string& out, std::vector<std::string> choices) { return bind_choice(out, std::move(choices)); }
Binding to_choice(std::optional<std::string>& out, std::vector<std::string> choices) {
  return bind_choice(out, std::move(choices));
}
Binding to_int(int& out, int low, int high) { return bind_int(out, low, high); }
Binding to_int(std::optional<int>& out, int low, int high) { return bind_int(out, low, high); }
Binding to_number(double& out, Interval range) { return bind_number(out, range); }
Binding to_number(std::optional<double>& out, Interval range) { return bind_number(out, range); }

Binding to_ints(std::vector<int>& out, std::size_t max_count, int low, int high) {
  return [&out, max_count, low, high](const std::string& text) -> std::string {
    std::vector<int> values;
    for (const auto part : split(text, ',')) {
      const auto value = parse<int>(part);
      if (!value || *value < low || *value > high) values.resize(max_count + 1);
      if (values.size() > max_count) break;
      values.push_back(*value);
    }
    if (values.size() > max_count) return fmt::format("at most {} whole numbers from {} to {}", max_count, low, high);
    out = std::move(values);
    return {};
  };
}

namespace {

template <typename Out>
Binding seed_into(Out& out) {
  return [&out](const std::string& text) -> std::string {
    const auto value = parse<std::uint64_t>(text);
    if (!value) return "a whole number of at most 64 bits, 0 or more";
    out = *value;
    return {};
  };
}

}  // namespace

Binding to_seed(std::uint64_t& out) { return seed_into(out); }

Binding to_seed(std::optional<std::uint64_t>& out) { return seed_into(out); }

Binding to_numbers(std::vector<double>& out, Interval range) {
  return [&out, range](const std::string& text) -> std::string {
    auto numbers = parse_numbers(text, range);
    if (!numbers) return fmt::format("numbers in {}, separated by commas", range.text());
    out = std::move(*numbers);
    return {};
  };
}

Binding to_triple(std::optional<std::array<float, 3>>& out, Interval range) {
  return [&out, range](const std::string& text) -> std::string {
    const auto numbers = parse_numbers(text, range);
    if (!numbers || numbers->size() != 3) return fmt::format("three numbers a,b,c in {}", range.text());
    out = {static_cast<float>((*numbers)[0]), static_cast<float>((*numbers)[1]), static_cast<float>((*numbers)[2])};
    return {};
  };
}

Binding to_size(std::optional<Size>& out) {
  return [&out](const std::string& text) -> std::string {
    const auto sides = split(text, 'x');
    if (sides.size() == 2) {
      const auto height = parse<int>(sides[0]);
      const auto width = parse<int>(sides[1]);
      if (height && width && std::min(*height, *width) >= 1 && std::max(*height, *width) <= kMaxInputSide) {
        out = Size{*height, *width};
        return {};
      }
    }
    return fmt::format("HEIGHTxWIDTH such as 322x322, each side from 1 to {}", kMaxInputSide);
  };
}

Binding to_setting(DescriptorSpec& out, const Setting& setting) {
  return [&out, &setting](const std::string& text) -> std::string {
    const auto value = setting.parse(text);
    if (!value) return setting.wanted;
    try {
      setting.set(out, *value);
      return {};
    } catch (const Error&) {
      return setting.wanted;
    }
  };
}

}  // namespace revisit::cli

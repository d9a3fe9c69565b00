// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Types, ranges and unknown keys. Every message has the file, the line, the table, the key, its value and what it should have
// been.
#include "core/formats/section.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "core/base/near_word.h"

namespace revisit {
namespace {

constexpr double kBoundless = 1e9;  // a limit nobody meets is not worth mentioning

std::optional<double> number_in(const TomlValue& value) {
  if (const auto* number = std::get_if<double>(&value.value)) return *number;
  if (const auto* whole = std::get_if<std::int64_t>(&value.value)) return static_cast<double>(*whole);
  return std::nullopt;
}

std::optional<int> whole_in(const TomlValue& value, int low, int high) {
  const auto* whole = std::get_if<std::int64_t>(&value.value);
  if (whole == nullptr || *whole < low || *whole > high) return std::nullopt;
  return static_cast<int>(*whole);
}

std::optional<Size> size_in(const std::string& text) {
  Size size;
  const auto* end = text.data() + text.size();
  const auto height = std::from_chars(text.data(), end, size.height);
  if (height.ec != std::errc() || height.ptr == end || *height.ptr != 'x') return std::nullopt;
  const auto width = std::from_chars(height.ptr + 1, end, size.width);
  if (width.ec != std::errc() || width.ptr != end) return std::nullopt;
  const auto fits = [](int side) { return side >= 1 && side <= limits::kMaxInputSide; };
  return fits(size.height) && fits(size.width) ? std::optional(size) : std::nullopt;
}

std::string whole_text(int low, int high) {
  return high >= kManySteps ? fmt::format("a whole number of at least {}", low)
                            : fmt::format("a whole number from {} to {}", low, high);
}

}  // namespace

std::string Range::text() const {
  if (high >= kBoundless) return fmt::format("a number {} {}", above_low ? "above" : "of at least", low);
  return fmt::format("a number in {}{}, {}{}", above_low ? '(' : '[', low, high, below_high ? ')' : ']');
}

Section::Section(const TomlTable& table, std::string title, const Origin& origin)
    : table_(table), title_(std::move(title)), origin_(origin) {}

bool Section::has(const std::string& key) const { return std::ranges::find(table_, key, &TomlEntry::key) != table_.end(); }

const TomlValue* Section::take(const std::string& key) {
  if (std::ranges::find(known_, key) == known_.end()) known_.push_back(key);
  const auto found = std::ranges::find(table_, key, &TomlEntry::key);
  return found == table_.end() ? nullptr : &found->value;
}

void Section::misfit(const std::string& key, const TomlValue& value, const std::string& wanted) const {
  fail(ErrorCode::kUsage, "{}:{}: {} is {}, but must be {}", origin_.name, value.line, spelled(key), shown(value), wanted);
}

std::string Section::checked_text(const std::string& key, const TomlValue& value) const {
  const auto* text = std::get_if<std::string>(&value.value);
  if (text == nullptr) misfit(key, value, "text in quotes");
  const bool plain = std::ranges::none_of(*text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
  if (!plain) misfit(key, value, "text without control characters");
  return *text;
}

const TomlArray& Section::checked_list(const std::string& key, const TomlValue& value, const std::string& wanted,
                                       std::size_t least) const {
  const auto* list = std::get_if<TomlArray>(&value.value);
  if (list == nullptr || list->size() < least) misfit(key, value, wanted);
  if (list->size() > limits::kMaxConfigList)
    misfit(key, value, fmt::format("a list of at most {} values", limits::kMaxConfigList));
  return *list;
}

std::filesystem::path Section::resolved(const std::string& text) const {
  return text.empty() ? std::filesystem::path() : (origin_.folder / text).lexically_normal();
}

void Section::accept(const std::string& key, const std::string& wanted, const std::function<bool(const TomlValue&)>& take_it) {
  const auto* value = take(key);
  if (value != nullptr && !take_it(*value)) misfit(key, *value, wanted);
}

void Section::flag(const std::string& key, bool& out) {
  const auto* value = take(key);
  if (value == nullptr) return;
  const auto* flag = std::get_if<bool>(&value->value);
  if (flag == nullptr) misfit(key, *value, "true or false");
  out = *flag;
}

void Section::whole(const std::string& key, int& out, int low, int high) {
  const auto* value = take(key);
  if (value == nullptr) return;
  const auto whole = whole_in(*value, low, high);
  if (!whole) misfit(key, *value, whole_text(low, high));
  out = *whole;
}

void Section::wholes(const std::string& key, std::vector<int>& out, int low, int high) {
  const auto* value = take(key);
  if (value == nullptr) return;
  std::vector<int> values;
  for (const auto& element : checked_list(key, *value, "a non-empty list of whole numbers", 1)) {
    const auto whole = whole_in(element, low, high);
    if (!whole) misfit(key + "[" + std::to_string(values.size()) + "]", element, whole_text(low, high));
    values.push_back(*whole);
  }
  out = std::move(values);
}

void Section::seed(const std::string& key, std::uint64_t& out) {
  const auto* value = take(key);
  if (value == nullptr) return;
  const auto* whole = std::get_if<std::int64_t>(&value->value);
  if (whole == nullptr || *whole < 0) misfit(key, *value, "a whole number of at least 0");
  out = static_cast<std::uint64_t>(*whole);
}

void Section::number(const std::string& key, double& out, Range range) {
  const auto* value = take(key);
  if (value == nullptr) return;
  const auto number = number_in(*value);
  if (!number || !range.holds(*number)) misfit(key, *value, range.text());
  out = *number;
}

void Section::numbers(const std::string& key, std::vector<double>& out, Range range) {
  const auto* value = take(key);
  if (value == nullptr) return;
  std::vector<double> values;
  for (const auto& element : checked_list(key, *value, "a non-empty list of numbers", 1)) {
    const auto number = number_in(element);
    if (!number || !range.holds(*number)) misfit(key + "[" + std::to_string(values.size()) + "]", element, range.text());
    values.push_back(*number);
  }
  out = std::move(values);
}

void Section::text(const std::string& key, std::string& out) {
  if (const auto* value = take(key)) out = checked_text(key, *value);
}

void Section::texts(const std::string& key, std::vector<std::string>& out) {
  const auto* value = take(key);
  if (value == nullptr) return;
  std::vector<std::string> values;
  for (const auto& element : checked_list(key, *value, "a list of texts in quotes", 0)) {
    values.push_back(checked_text(key + "[" + std::to_string(values.size()) + "]", element));
  }
  out = std::move(values);
}

void Section::choice(const std::string& key, std::string& out, const std::vector<std::string>& choices) {
  const auto* value = take(key);
  if (value == nullptr) return;
  const auto text = checked_text(key, *value);
  if (std::ranges::find(choices, text) == choices.end()) {
    misfit(key, *value, fmt::format("one of {}{}", fmt::join(choices, ", "), did_you_mean(text, choices)));
  }
  out = text;
}

void Section::size(const std::string& key, Size& out) {
  const auto* value = take(key);
  if (value == nullptr) return;
  const auto size = size_in(checked_text(key, *value));
  if (!size) misfit(key, *value, fmt::format("\"HEIGHTxWIDTH\" with sides from 1 to {}", limits::kMaxInputSide));
  out = *size;
}

void Section::path(const std::string& key, std::filesystem::path& out) {
  if (const auto* value = take(key)) out = resolved(checked_text(key, *value));
}

void Section::paths(const std::string& key, std::vector<std::filesystem::path>& out) {
  std::vector<std::string> values;
  const bool there = has(key);
  texts(key, values);
  if (!there) return;
  out.clear();
  for (const auto& text : values) {
    if (text.empty()) fail(ErrorCode::kUsage, "{}: {} holds an empty path", origin_.name, spelled(key));
    out.push_back(resolved(text));
  }
}

void Section::path_as_written(const std::string& key, std::filesystem::path& out) {
  if (const auto* value = take(key)) out = checked_text(key, *value);
}

TomlTable Section::table(const std::string& key) {
  const auto* value = take(key);
  if (value == nullptr) return {};
  const auto* table = std::get_if<TomlTable>(&value->value);
  if (table == nullptr) misfit(key, *value, fmt::format("a table: [{}]", key));
  return *table;
}

std::vector<TomlTable> Section::tables(const std::string& key) {
  const auto* value = take(key);
  if (value == nullptr) return {};
  const auto table = title_.empty() ? "" : title_.substr(1, title_.size() - 2) + ".";  // "[data]" -> "data."
  const auto wanted = fmt::format("tables: [[{}{}]]", table, key);
  std::vector<TomlTable> out;
  for (const auto& element : checked_list(key, *value, wanted, 0)) {
    const auto* one = std::get_if<TomlTable>(&element.value);
    if (one == nullptr) misfit(key, element, wanted);
    out.push_back(*one);
  }
  return out;
}

void Section::require(const std::string& key, const std::string& what) const {
  if (!has(key)) fail(ErrorCode::kUsage, "{}: {} has no {}: {}", origin_.name, title_, key, what);
}

void Section::refuse(const std::string& key, const std::string& why) {
  if (const auto* value = take(key)) fail(ErrorCode::kUsage, "{}:{}: {} {}", origin_.name, value->line, spelled(key), why);
}

void Section::finish() const {
  for (const auto& entry : table_) {
    if (std::ranges::find(known_, entry.key) != known_.end()) continue;
    const auto near = did_you_mean(entry.key, known_);
    const auto hint = near.empty() ? fmt::format("known: {}", fmt::join(known_, ", ")) : std::string();
    const bool table = std::holds_alternative<TomlTable>(entry.value.value);
    const auto kind = title_.empty() && table ? "table" : "key";
    fail_with_hint(ErrorCode::kUsage, hint, "{}:{}: {} has no {} {}{}", origin_.name, entry.line,
                   title_.empty() ? "a configuration" : title_, kind, in_quotes(entry.key), near);
  }
}

}  // namespace revisit

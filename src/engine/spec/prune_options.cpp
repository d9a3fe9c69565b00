// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Pairs from text, and typed values from pairs.
#include "engine/spec/prune_options.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/fail.h"

namespace revisit {
namespace {

constexpr std::size_t kLongest = 400;  // of the whole text
constexpr const char* kHowMuch[] = {"keep", "r"};

bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_of_key(char c) { return is_small(c) || c == '_'; }
bool is_of_value(char c) {
  return is_of_key(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '|' || c == '-' || c == '+';
}

template <typename Number>
bool read_whole(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::optional<PruneOptionPairs> parse_prune_options(std::string_view text) {
  if (text.size() > kLongest) return std::nullopt;
  PruneOptionPairs out;
  while (true) {
    const auto comma = text.find(',');
    const std::string_view pair = text.substr(0, comma);
    const auto equals = pair.find('=');
    if (equals == 0 || equals == std::string_view::npos || equals + 1 == pair.size()) return std::nullopt;
    const std::string_view key = pair.substr(0, equals), value = pair.substr(equals + 1);
    if (!std::ranges::all_of(key, is_of_key) || !std::ranges::all_of(value, is_of_value)) return std::nullopt;
    if (!out.emplace(key, value).second) return std::nullopt;
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

std::string prune_options_text(const PruneOptionPairs& pairs) {
  std::string out;
  for (const auto& [key, value] : pairs) out += fmt::format("{}{}={}", out.empty() ? "" : ",", key, value);
  return out;
}

bool says_how_much(const std::optional<std::string>& options) {
  const auto pairs = options ? parse_prune_options(*options) : std::nullopt;
  return pairs && std::ranges::any_of(kHowMuch, [&](const char* key) { return pairs->contains(key); });
}

bool prunes(const DescriptorSpec& spec) { return spec.rho.value_or(1) < 1 || says_how_much(spec.prune_options); }

std::optional<std::string> without_how_much(const std::optional<std::string>& options) {
  if (!says_how_much(options)) return options;
  PruneOptionPairs pairs = *parse_prune_options(*options);
  for (const char* key : kHowMuch) pairs.erase(key);
  return pairs.empty() ? std::nullopt : std::optional(prune_options_text(pairs));
}

PruneOptions::PruneOptions(const DescriptorSpec& spec) : pruner_(*spec.prune) {
  if (!spec.prune_options) return;
  left_ = parse_prune_options(*spec.prune_options).value_or(PruneOptionPairs{});
  if (*spec.rho < 1 && says_how_much(spec.prune_options)) {
    fail_with_hint(ErrorCode::kUsage, "give one of them", "rho {:g} and `prune_options` {} both say how much is kept", *spec.rho,
                   *spec.prune_options);
  }
}

std::optional<std::string> PruneOptions::take(const char* key) {
  known_.emplace_back(key);
  const auto found = left_.find(key);
  if (found == left_.end()) return std::nullopt;
  std::string value = found->second;
  left_.erase(found);
  return value;
}

void PruneOptions::refuse(const char* key, const std::string& value, const std::string& wanted) const {
  fail(ErrorCode::kUsage, "{} of `prune` {} is '{}', but must be {}", key, pruner_, value, wanted);
}

std::optional<double> PruneOptions::number(const char* key, double low, double high, bool above_low) {
  const auto text = take(key);
  if (!text) return std::nullopt;
  double value = 0;
  if (!read_whole(*text, value) || !(above_low ? value > low : value >= low) || !(value <= high)) {
    refuse(key, *text, fmt::format("a number in {}{:g}, {:g}]", above_low ? '(' : '[', low, high));
  }
  return value;
}

std::optional<bool> PruneOptions::flag(const char* key) {
  const auto text = take(key);
  if (!text) return std::nullopt;
  if (*text != "true" && *text != "false") refuse(key, *text, "true or false");
  return *text == "true";
}

std::optional<int> PruneOptions::whole_number(const char* key, int low, int high) {
  const auto text = take(key);
  if (!text) return std::nullopt;
  int value = 0;
  if (!read_whole(*text, value) || value < low || value > high) {
    refuse(key, *text, fmt::format("a whole number from {} to {}", low, high));
  }
  return value;
}

std::optional<std::vector<int>> PruneOptions::whole_numbers(const char* key, int low, int high) {
  const auto text = take(key);
  if (!text) return std::nullopt;
  std::vector<int> out;
  for (std::size_t from = 0; from <= text->size();) {
    const std::size_t bar = std::min(text->find('|', from), text->size());
    int value = 0;
    if (!read_whole(std::string_view(*text).substr(from, bar - from), value) || value < low || value > high) {
      refuse(key, *text, fmt::format("whole numbers from {} to {}, such as {}|{}", low, high, low, std::min(low + 1, high)));
    }
    out.push_back(value);
    from = bar + 1;
  }
  return out;
}

std::optional<std::vector<int>> PruneOptions::blocks(const char* key, int depth) {
  const auto it = left_.find(key);
  const std::string text = it == left_.end() ? "" : it->second;
  auto out = whole_numbers(key, 0, depth - 1);
  if (out && std::ranges::adjacent_find(*out, std::greater_equal<>{}) != out->end()) {
    refuse(key, text, "blocks in ascending order, each once, such as 3|6|9");
  }
  return out;
}

void PruneOptions::finish() const {
  if (left_.empty()) return;
  if (known_.empty()) {
    fail(ErrorCode::kUsage, "`prune_options` {} cannot be used: `prune` {} has none", prune_options_text(left_), pruner_);
  }
  fail(ErrorCode::kUsage, "`prune` {} has no option '{}'; it has {}", pruner_, left_.begin()->first, fmt::join(known_, ", "));
}

}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The string metadata of a model file, read as numbers and words, and numbers written as such strings.
#pragma once

#include <array>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fail.h"
#include "revisit/spec.h"

namespace revisit::model {

using Metadata = std::map<std::string, std::string>;

inline std::string size_text(int height, int width) { return fmt::format("{}x{}", height, width); }
inline const char* flag_text(bool value) { return value ? "true" : "false"; }

/// Looks up keys and turns their text into values; errors name the file, the key and the text.
class Fields {
 public:
  Fields(const std::map<std::string, std::string>& metadata, const std::string& name) : metadata_(metadata), name_(name) {}

  bool has(const std::string& key) const { return metadata_.contains(key); }

  const std::string& text(const std::string& key) const {
    const auto found = metadata_.find(key);
    if (found == metadata_.end()) fail(ErrorCode::kBadModel, "'{}': its metadata lacks '{}'", name_, key);
    return found->second;
  }

  template <typename T>
  T number(const std::string& key) const {
    return parse<T>(key, text(key));
  }

  template <typename T>
  std::vector<T> list(const std::string& key) const {
    std::vector<T> out;
    std::string_view rest = text(key);
    while (true) {
      const auto comma = rest.find(',');
      out.push_back(parse<T>(key, rest.substr(0, comma)));
      if (comma == std::string_view::npos) return out;
      rest.remove_prefix(comma + 1);
    }
  }

  std::array<float, 3> rgb(const std::string& key) const {
    const auto values = list<float>(key);
    if (values.size() != 3) fail(ErrorCode::kBadModel, "'{}': {} '{}' is not three numbers", name_, key, text(key));
    return {values[0], values[1], values[2]};
  }

  Size size(const std::string& key) const {
    const std::string_view value = text(key);
    const auto cross = value.find('x');
    if (cross == std::string_view::npos) fail(ErrorCode::kBadModel, "'{}': {} '{}' is not HEIGHTxWIDTH", name_, key, value);
    return {parse<int>(key, value.substr(0, cross)), parse<int>(key, value.substr(cross + 1))};
  }

  bool flag(const std::string& key) const {
    const auto& value = text(key);
    if (value != "true" && value != "false") {
      fail(ErrorCode::kBadModel, "'{}': {} '{}' is neither true nor false", name_, key, value);
    }
    return value == "true";
  }

  /// The value of a setting recorded as the model's default.
  void setting(const Setting& one, DescriptorSpec& spec) const {
    const std::string& value = text(one.model_key);
    const auto parsed = one.parse(value);
    try {
      if (parsed) return one.set(spec, *parsed);
    } catch (const Error&) {
      // The error below says the same and names the file.
    }
    fail(ErrorCode::kBadModel, "'{}': {} is '{}', but must be {}", name_, one.model_key, value, one.wanted);
  }

  template <typename Enum>
  Enum word(const std::string& key, Enum (*from)(const std::string&)) const {
    try {
      return from(text(key));
    } catch (const Error& error) {
      fail(ErrorCode::kBadModel, "'{}': {}: {}", name_, key, error.what());
    }
  }

 private:
  template <typename T>
  T parse(const std::string& key, std::string_view value) const {
    T out{};
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
    if (error != std::errc{} || end != value.data() + value.size()) {
      fail(ErrorCode::kBadModel, "'{}': {} '{}' is not a usable number", name_, key, text(key));
    }
    return out;
  }

  const std::map<std::string, std::string>& metadata_;
  const std::string& name_;
};

}  // namespace revisit::model

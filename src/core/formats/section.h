// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One table of a configuration, read key by key. Each call takes one key if it is there, checks type and range, and remembers
// that the key is known; finish() refuses unknown keys. A missing key leaves the variable at its default.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/formats/toml_tree.h"
#include "revisit/image.h"

namespace revisit {

/// Where a table was read from, for error messages and relative paths.
struct Origin {
  std::string name;              // of the file
  std::filesystem::path folder;  // relative paths start here
};

struct Range {
  double low = -std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::max();
  bool above_low = false;  // low itself is excluded
  bool below_high = false;

  bool holds(double x) const { return (above_low ? x > low : x >= low) && (below_high ? x < high : x <= high); }  // false for NaN
  std::string text() const;  // "a number in (0, 1]"
};

inline constexpr Range kShare{0, 1};
inline constexpr Range kRho{0, 1, true};
inline constexpr Range kPositive{0, 1e9, true};
inline constexpr Range kNotNegative{0, 1e9};
inline constexpr int kManySteps = 100'000'000;

class Section {
 public:
  /// `title` is its name in messages: "[model]", or empty for the top of the file.
  Section(const TomlTable& table, std::string title, const Origin& origin);

  bool has(const std::string& key) const;

  void flag(const std::string& key, bool& out);
  void whole(const std::string& key, int& out, int low, int high);
  void wholes(const std::string& key, std::vector<int>& out, int low, int high);  // at least one
  void seed(const std::string& key, std::uint64_t& out);
  void number(const std::string& key, double& out, Range range);
  void numbers(const std::string& key, std::vector<double>& out, Range range);  // at least one
  void text(const std::string& key, std::string& out);
  void texts(const std::string& key, std::vector<std::string>& out);  // an empty list is fine
  void choice(const std::string& key, std::string& out, const std::vector<std::string>& choices);
  void size(const std::string& key, Size& out);                   // "HxW"
  void path(const std::string& key, std::filesystem::path& out);  // "" stays empty
  void paths(const std::string& key, std::vector<std::filesystem::path>& out);
  void path_as_written(const std::string& key, std::filesystem::path& out);

  /// A value of any kind: `take_it` says whether it is valid, `wanted` what would be.
  void accept(const std::string& key, const std::string& wanted, const std::function<bool(const TomlValue&)>& take_it);

  /// The table under `key`, empty when there is none.
  TomlTable table(const std::string& key);
  /// The tables of [[key]], none when there is none.
  std::vector<TomlTable> tables(const std::string& key);

  /// Throws unless the key is present; `what` says what it is.
  void require(const std::string& key, const std::string& what) const;

  /// A key that is known but does not belong here; `why` ends the sentence.
  void refuse(const std::string& key, const std::string& why);

  /// Throws when an unknown key is left.
  void finish() const;

 private:
  const TomlValue* take(const std::string& key);
  [[noreturn]] void misfit(const std::string& key, const TomlValue& value, const std::string& wanted) const;
  std::string checked_text(const std::string& key, const TomlValue& value) const;
  std::filesystem::path resolved(const std::string& text) const;
  const TomlArray& checked_list(const std::string& key, const TomlValue& value, const std::string& wanted,
                                std::size_t least) const;
  std::string spelled(const std::string& key) const { return title_.empty() ? key : title_ + " " + key; }

  const TomlTable& table_;
  std::string title_;
  const Origin& origin_;
  std::vector<std::string> known_;
};

}  // namespace revisit

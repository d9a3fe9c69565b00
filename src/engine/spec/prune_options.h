// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A pruner's own numbers as one setting: "r=7,prop_attn=true". The pruner reads its keys; what is left over is refused.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "revisit/spec.h"

namespace revisit {

using PruneOptionPairs = std::map<std::string, std::string>;

/// Nothing unless the text is KEY=VALUE,KEY=VALUE with each key once; keys of small letters and _, values of letters, digits and
/// .|-+_
std::optional<PruneOptionPairs> parse_prune_options(std::string_view text);
/// The reverse, keys ascending.
std::string prune_options_text(const PruneOptionPairs& pairs);

/// Whether options say how much is kept (`keep` or `r`), which is otherwise rho's to say.
bool says_how_much(const std::optional<std::string>& options);
/// Whether patches are dropped or merged: rho below 1, or such options.
bool prunes(const DescriptorSpec& spec);
/// The options without these; none if nothing is left.
std::optional<std::string> without_how_much(const std::optional<std::string>& options);

/// Reads the options of one pruner. Every function throws Error kUsage for a value out of range.
class PruneOptions {
 public:
  /// Of a complete spec. Throws Error kUsage when both rho and the options say how much is kept.
  explicit PruneOptions(const DescriptorSpec& spec);

  std::optional<double> number(const char* key, double low, double high, bool above_low = false);
  std::optional<bool> flag(const char* key);
  std::optional<int> whole_number(const char* key, int low, int high);
  /// "3|6|9": whole numbers.
  std::optional<std::vector<int>> whole_numbers(const char* key, int low, int high);
  /// Such a list, ascending, of blocks counted from 0.
  std::optional<std::vector<int>> blocks(const char* key, int depth);
  /// Throws Error kUsage for a key that nobody read.
  void finish() const;

 private:
  std::optional<std::string> take(const char* key);
  [[noreturn]] void refuse(const char* key, const std::string& value, const std::string& wanted) const;

  std::string pruner_;
  PruneOptionPairs left_;
  std::vector<std::string> known_;
};

}  // namespace revisit

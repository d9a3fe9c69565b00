// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// From nested dictionaries of a pickle to tensors by their full name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/stop_scope.h"
#include "engine/model/pickle_values.h"

namespace revisit::model {

struct NamedTensor {
  std::string name;  // keys joined by '.'
  ValueId value;
};

/// Collects the tensors below one dictionary. A dictionary that appears in several places is walked once for each, within
/// limits for the entries looked at and for the bytes of their names. The limits hold for all runs together.
class Flattener {
 public:
  Flattener(const PickleValues& values, const std::string& file) : values_(values), file_(file) {}

  /// Throws Error kLimit, and kBadModel for a key given twice and for an object that could be a weight but is not a tensor.
  std::vector<NamedTensor> run(ValueId dict);

 private:
  struct Keys;

  void walk(ValueId dict, int depth);
  void enter(ValueId key, ValueId value, Keys& seen, int depth);
  std::string_view text_of(ValueId key);
  void count_name(std::size_t bytes);
  void check_key(std::string_view key) const;
  void check_name(bool named) const;
  void check_skipped(ValueId value) const;

  const PickleValues& values_;
  const std::string& file_;
  std::vector<NamedTensor> found_;
  std::string name_;    // of the entry looked at, grown and cut along the way
  std::string number_;  // an integer key as text
  std::uint64_t entries_ = 0;
  std::uint64_t name_bytes_ = 0;
  StopTicker ticker_;
};

}  // namespace revisit::model

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Bindings from an option's text to a typed variable, with the range check and the message for a bad value.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cli/option.h"
#include "revisit/spec.h"

namespace revisit::cli {

inline constexpr int kMaxInputSide = 4096;  ///< pixels per side of --size

struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool open_low = false;                                                               ///< low itself is excluded: (low, high]
  bool holds(double x) const { return (open_low ? x > low : x >= low) && x <= high; }  // false for NaN
  std::string text() const;
};

inline constexpr Interval kRhoRange{0, 1, true};

Binding to_switch(bool& out);
Binding to_text(std::string& out);
Binding to_text(std::optional<std::string>& out);
Binding to_choice(std::string& out, std::vector<std::string> choices);
Binding to_choice(std::optional<std::string>& out, std::vector<std::string> choices);
Binding to_int(int& out, int low, int high);
Binding to_int(std::optional<int>& out, int low, int high);
Binding to_ints(std::vector<int>& out, std::size_t max_count, int low, int high);  ///< "1,5,10", at least one
Binding to_seed(std::uint64_t& out);
Binding to_seed(std::optional<std::uint64_t>& out);
Binding to_number(double& out, Interval range);
Binding to_number(std::optional<double>& out, Interval range);
Binding to_numbers(std::vector<double>& out, Interval range);                 ///< "1,0.7,0.5", at least one
Binding to_triple(std::optional<std::array<float, 3>>& out, Interval range);  ///< "0.5,0.5,0.5"
Binding to_size(std::optional<Size>& out);                                    ///< "HxW"
Binding to_setting(DescriptorSpec& out, const Setting& setting);

}  // namespace revisit::cli

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Small text tools of the command line: one spelling of flags, grouped names, quoting. Near misses are in base.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/near_word.h"

namespace revisit::cli {

/// Underscores in the name of a long flag become dashes; values, file names and what follows "--" stay.
std::vector<std::string> normalise_arguments(const std::vector<std::string>& arguments);

/// {"head.weight", "head.bias", "mask_token"} becomes "head.*, mask_token". Long lists are cut with a count.
std::string group_by_prefix(const std::vector<std::string>& names);

/// Untrusted text for a terminal or a line of output: control characters become "\\n", "\\x1b" and the like.
std::string on_one_line(std::string_view text);

/// 1536 is "1.5 KB": three digits at most, powers of 1024.
std::string human_bytes(double bytes);

}  // namespace revisit::cli

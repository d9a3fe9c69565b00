// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// From an argument list and a verb's table to bound values. Precedence: flag, then environment, then default.
#pragma once

#include <string>
#include <vector>

#include "cli/option.h"

namespace revisit::cli {

/// Binds every option and positional of the verb. `arguments` is what follows the verb's name, normalised.
/// Throws Error kUsage for an unknown flag (with the nearest one), a missing or invalid value, or a surplus argument.
void parse_arguments(const Verb& verb, const std::vector<std::string>& arguments);

/// Whether --help or -h is among the arguments before "--".
bool asks_for_help(const std::vector<std::string>& arguments);

/// Whether errors are printed as JSON. Needed before the arguments are known to be well formed.
bool asks_for_json(const std::vector<std::string>& arguments);

const char* parser_library_version();

}  // namespace revisit::cli

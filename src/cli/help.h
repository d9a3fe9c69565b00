// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Help is printed from the option tables: purpose, three examples, options.
#pragma once

#include <string>
#include <vector>

#include "cli/option.h"

namespace revisit::cli {

struct Listed {
  std::string name;
  std::string summary;
};

std::string program_help(const std::vector<Listed>& verbs);                          ///< at most 25 lines
std::string group_help(const std::string& group, const std::vector<Listed>& verbs);  ///< `revisit model --help`
std::string verb_help(const Verb& verb);                                             ///< at most 60 lines

}  // namespace revisit::cli

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One table per verb is the source of the parser, the help text and the environment names. A verb file is
// three functions: the one that makes this table, the one that runs, and the one that prints.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace revisit::cli {

/// Takes a value's text. Returns an empty string, or what a valid value would be ("a number in (0, 1]").
using Binding = std::function<std::string(const std::string& text)>;

struct Option {
  std::string names;  ///< "-o,--output": an optional short name and one long name
  std::string value;  ///< what the value stands for, "FILE"; empty for a switch, which is bound to "true"
  std::string help;   ///< what it does, range and default
  Binding bind;
  bool many = false;  ///< takes several words, "1 5 10"; they are bound as one text with commas between them
  std::string
      bare{};  ///< bound when no value follows; empty: one must. Only for verbs without positionals, whose words it would take
  bool advanced = false;  ///< listed after the common ones in help

  std::string long_name() const { return names.substr(names.find("--")); }
  std::string env_name() const;  ///< "--prune-layer" is REVISIT_PRUNE_LAYER
};

struct Positional {
  std::string name;  ///< "IMAGE...", as shown in help
  std::string help;
  std::size_t min = 0;
  std::size_t max = 0;
  std::vector<std::string>* values = nullptr;
};

struct Verb {
  std::string name;                     ///< "describe", "model import"
  std::string summary;                  ///< one line for the list of commands
  std::string about;                    ///< at most two lines at the top of the verb's help
  std::array<std::string, 3> examples;  ///< ready to paste into a shell
  Positional positional;
  std::vector<Option> options;
  std::function<int()> run;  ///< returns the exit code
};

}  // namespace revisit::cli

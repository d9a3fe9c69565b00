// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Layout of help pages: lines of at most 110 columns, options in one column, help text wrapped in the other.
#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace revisit::cli {
namespace {

constexpr std::size_t kColumns = 110;

// Appends `text` from column `indent` on, broken at spaces.
void append_wrapped(std::string& out, std::string_view text, std::size_t indent) {
  std::size_t column = indent;
  bool first = true;
  while (!text.empty()) {
    const auto word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!first && column + 1 + word.size() > kColumns) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    first = false;
  }
  out += '\n';
}

std::string listing(const std::vector<Listed>& verbs) {
  std::size_t width = 0;
  for (const auto& verb : verbs) width = std::max(width, verb.name.size());
  std::string out;
  for (const auto& verb : verbs) out += fmt::format("  {:<{}}  {}\n", verb.name, width, verb.summary);
  return out;
}

// "-o,--output" and "FILE" become "-o, --output FILE"; long names line up whether or not there is a short one.
std::string shown_name(const Option& option) {
  const auto comma = option.names.find(',');
  const auto short_name = comma == std::string::npos ? std::string("    ") : option.names.substr(0, comma) + ", ";
  return short_name + option.long_name() + (option.value.empty() ? "" : " " + option.value);
}

}  // namespace

std::string program_help(const std::vector<Listed>& verbs) {
  return "revisit - have I been here before? Visual place recognition; --rho trades accuracy for speed.\n"
         "\n"
         "Examples:\n"
         "  revisit index add places.rvs photos/\n"
         "  revisit query places.rvs photo.jpg\n"
         "  revisit synth town && revisit match town/queries town/database --gt town/gt.csv -o report\n"
         "\n"
         "Commands:\n" +
         listing(verbs) +
         "\n"
         "revisit COMMAND --help shows examples and options; revisit --version shows the version.\n"
         "Exit codes: 0 ok, 1 failed, 2 usage, 3 bad file, 4 some input skipped, 5 no space, 130 stopped.\n";
}

std::string group_help(const std::string& group, const std::vector<Listed>& verbs) {
  std::string out = fmt::format("revisit {}: one of these commands\n\n", group);
  return out + listing(verbs) + fmt::format("\nrevisit {} COMMAND --help shows examples and options.\n", group);
}

std::string verb_help(const Verb& verb) {
  std::string out;
  append_wrapped(out, fmt::format("revisit {}: {}", verb.name, verb.about), 0);
  out += "\nExamples:\n";
  for (const auto& example : verb.examples) out += "  " + example + "\n";

  const auto& positional = verb.positional;
  out += fmt::format("\nUsage: revisit {}{}{} [OPTIONS]\n", verb.name, positional.name.empty() ? "" : " ", positional.name);
  std::size_t width = positional.name.size() + 2;
  for (const auto& option : verb.options) width = std::max(width, shown_name(option).size() + 2);
  const auto append_row = [&](const std::string& name, const std::string& help) {
    out += fmt::format("  {:<{}}", name, width);
    append_wrapped(out, help, width + 2);
  };
  if (!positional.name.empty()) append_row(positional.name, positional.help);
  const auto append_options = [&](bool advanced) {
    for (const auto& option : verb.options) {
      if (option.advanced == advanced) append_row(shown_name(option), option.help);
    }
  };
  append_options(false);
  if (std::ranges::any_of(verb.options, &Option::advanced)) out += "Advanced:\n";
  append_options(true);
  out += "Each option can also be set in the environment, --json as REVISIT_JSON; a flag wins.\n";
  return out;
}

}  // namespace revisit::cli

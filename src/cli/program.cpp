// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// revisit [--help | --version | help VERB | VERB ...]
#include "cli/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "cli/console.h"
#include "cli/help.h"
#include "cli/parser.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "core/base/fail.h"
#include "core/base/stop.h"
#include "core/formats/text.h"

namespace revisit::cli {
namespace {

using Arguments = std::vector<std::string>;

constexpr int kClosedOutputExit = 128 + 13;  // as if killed by SIGPIPE
constexpr const char* kHelpHint = "revisit --help lists the commands";

// The members of a group, or all verbs with each group as one line.
std::vector<Listed> listed(const std::string& group = {}) {
  std::vector<Listed> out;
  for (const auto& verb : kVerbs) {
    const std::string name = verb.name;
    const auto space = name.find(' ');
    if (!group.empty()) {
      if (name.starts_with(group + " ")) out.push_back({name.substr(group.size() + 1), verb.summary});
    } else if (space == std::string::npos) {
      out.push_back({name, verb.summary});
    } else if (out.empty() || out.back().name != name.substr(0, space)) {
      const auto* found = std::ranges::find(kVerbGroups, name.substr(0, space), &VerbGroup::name);
      out.push_back({found->name, found->summary});
    }
  }
  return out;
}

Arguments names_of(const std::vector<Listed>& verbs) {
  Arguments names;
  for (const auto& verb : verbs) names.push_back(verb.name);
  return names;
}

const VerbEntry* find_verb(const std::string& name) {
  for (const auto& verb : kVerbs) {
    if (name == verb.name) return &verb;
  }
  return nullptr;
}

[[noreturn]] void refuse_word(const std::string& word) {
  Arguments known{"help"};
  for (const auto& name : names_of(listed())) known.push_back(name);
  const char* kind = word.starts_with('-') ? "option" : "command";
  if (word.starts_with('-')) known = {"--help", "--version"};
  fail_with_hint(ErrorCode::kUsage, kHelpHint, "unknown {} '{}'{}", kind, word, did_you_mean(word, known));
}

// Splits "model import FILE" into its verb and the rest. A null verb means that the help of the group was asked for.
const VerbEntry* take_verb(Arguments& words, bool group_is_enough) {
  const auto word = words.front();
  words.erase(words.begin());
  if (const auto* verb = find_verb(word)) return verb;
  const auto members = listed(word);
  if (members.empty()) refuse_word(word);
  const bool has_member = !words.empty() && !words.front().starts_with('-');
  if (!has_member) {
    if (group_is_enough || asks_for_help(words)) return nullptr;
    fail_with_hint(ErrorCode::kUsage, kHelpHint, "'{}' needs one of: {}", word, fmt::join(names_of(members), ", "));
  }
  const auto member = words.front();
  words.erase(words.begin());
  if (const auto* verb = find_verb(word + " " + member)) return verb;
  fail_with_hint(ErrorCode::kUsage, fmt::format("revisit {} --help lists its commands", word), "unknown command '{} {}'{}", word,
                 member, did_you_mean(member, names_of(members)));
}

int show_help(Arguments words, Console& console) {
  if (words.empty() || words.front().starts_with('-')) {
    console.data(program_help(listed()));
    return 0;
  }
  const auto first = words.front();
  const auto* verb = take_verb(words, true);
  console.data(verb == nullptr ? group_help(first, listed(first)) : verb_help(verb->make(console)));
  return 0;
}

Error with_flags(const Error& error, const Verb& verb) {
  Arguments flags;
  for (const auto& option : verb.options) flags.push_back(option.long_name());
  return {error.code(), revisit::with_flags(error.what(), flags), revisit::with_flags(error.hint(), flags)};
}

int dispatch(const Arguments& arguments, Console& console) {
  if (arguments.empty()) {
    console.talk(program_help(listed()));
    return exit_code_of(ErrorCode::kUsage);
  }
  const auto& first = arguments.front();
  if (first == "--version" || first == "-V" || first == "version") {
    console.data("revisit " REVISIT_VERSION "\n");
    return 0;
  }
  if (first == "--help" || first == "-h") return show_help({}, console);
  auto words = normalise_arguments(arguments);
  if (first == "help") return show_help({words.begin() + 1, words.end()}, console);
  console.json = asks_for_json(words);
  const auto* entry = take_verb(words, false);
  if (entry == nullptr) return show_help({first}, console);
  const Verb verb = entry->make(console);
  if (asks_for_help(words)) {
    console.data(verb_help(verb));
    return 0;
  }
  console.arguments = words;
  parse_arguments(verb, words);
  try {
    return verb.run();
  } catch (const Error& error) {
    throw with_flags(error, verb);
  }
}

}  // namespace

int run_program(const Arguments& arguments) noexcept {
  Console console;
  try {
    install_signal_handlers();
    return dispatch(arguments, console);
  } catch (const ClosedOutput&) {
    return kClosedOutputExit;
  } catch (const Interrupted& stop) {
    console.error(ErrorCode::kInterrupted, stop.sentence, "");
    return 128 + stop.signal;
  } catch (const Error& error) {
    console.error(error.code(), error.what(), error.hint());
    const bool by_signal = error.code() == ErrorCode::kInterrupted && stop_signal() != 0;
    return by_signal ? 128 + stop_signal() : exit_code_of(error.code());
  } catch (const std::bad_alloc&) {
    console.error(ErrorCode::kNoMemory, "not enough memory", "use a smaller --size");
    return exit_code_of(ErrorCode::kNoMemory);
  } catch (const std::exception& error) {
    console.error(ErrorCode::kInternal, fmt::format("unexpected failure: {}", error.what()), "");
    return exit_code_of(ErrorCode::kInternal);
  } catch (...) {
    return exit_code_of(ErrorCode::kInternal);
  }
}

}  // namespace revisit::cli

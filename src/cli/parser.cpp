// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The only file that includes CLI11. It splits the line into options and values; names, ranges, help and
// sentences are ours.
#include "cli/parser.h"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "core/base/fail.h"
#include "cli/binding.h"
#include "cli/words.h"

namespace revisit::cli {
namespace {

constexpr int kMaxWords = 64;  // per option that takes several

void set_value(const Option& option, const std::string& source, const std::string& text) {
  const auto wanted = option.bind(text);
  if (!wanted.empty()) fail(ErrorCode::kUsage, "{} is '{}', but must be {}", source, text, wanted);
}

std::vector<std::string> long_names(const Verb& verb) {
  std::vector<std::string> names{"--help"};
  for (const auto& option : verb.options) names.push_back(option.long_name());
  return names;
}

void refuse_extras(const Verb& verb, const std::vector<std::string>& extras) {
  const auto hint = fmt::format("revisit {} --help lists its options", verb.name);
  const auto flag = std::ranges::find_if(extras, [](const auto& e) { return e.size() > 1 && e.starts_with('-'); });
  if (flag != extras.end()) {
    const auto name = flag->substr(0, flag->find('='));
    fail_with_hint(ErrorCode::kUsage, hint, "unknown option '{}' of '{}'{}", name, verb.name,
                   did_you_mean(name, long_names(verb)));
  }
  if (!extras.empty()) fail_with_hint(ErrorCode::kUsage, hint, "'{}' does not take the argument '{}'", verb.name, extras.front());
}

void check_positionals(const Verb& verb, const std::vector<std::string>& values) {
  const auto& wanted = verb.positional;
  if (std::ranges::find(values, "") != values.end()) {
    fail_with_hint(ErrorCode::kUsage, "perhaps a shell variable is not set", "an argument of '{}' is empty", verb.name);
  }
  const auto hint = fmt::format("revisit {} --help shows three examples", verb.name);
  if (values.size() < wanted.min) fail_with_hint(ErrorCode::kUsage, hint, "'{}' needs {}", verb.name, wanted.name);
  if (values.size() > wanted.max) {
    fail_with_hint(ErrorCode::kUsage, hint, "'{}' does not take the argument '{}'", verb.name, values[wanted.max]);
  }
}

std::string environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? value : "";
}

}  // namespace

std::string Option::env_name() const {
  std::string name = "REVISIT_";
  for (const char c : long_name().substr(2)) {
    name.push_back(c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
  }
  return name;
}

void parse_arguments(const Verb& verb, const std::vector<std::string>& arguments) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();

  struct Slot {
    std::string text;
    std::vector<std::string> words;
    bool on = false;
    CLI::Option* parsed = nullptr;
  };
  std::vector<Slot> slots(verb.options.size());  // never resized: CLI11 keeps addresses
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto& option = verb.options[i];
    if (option.many) {
      slots[i].parsed = app.add_option(option.names, slots[i].words)->expected(1, kMaxWords);
      continue;
    }
    slots[i].parsed =
        option.value.empty() ? app.add_flag(option.names, slots[i].on) : app.add_option(option.names, slots[i].text);
    slots[i].parsed->take_last();
    if (!option.bare.empty()) slots[i].parsed->expected(0, 1)->default_str(option.bare);
  }
  std::vector<std::string> positionals;
  if (verb.positional.max > 0) app.add_option("positional", positionals)->expected(0, static_cast<int>(1U << 20U));

  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // CLI11 takes arguments from the back
    app.parse(std::move(reversed));
  } catch (const CLI::ArgumentMismatch&) {
    // Every option takes one value, so only the last word of the line can lack one.
    fail(ErrorCode::kUsage, "option '{}' needs a value", arguments.empty() ? "" : arguments.back());
  } catch (const CLI::ParseError& error) {
    fail(ErrorCode::kUsage, "invalid arguments for '{}': {}", verb.name, error.what());
  }
  auto extras = app.remaining();
  std::erase(extras, "--");  // CLI11 returns the "--" too
  refuse_extras(verb, extras);

  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto& option = verb.options[i];
    if (slots[i].parsed->count() > 0) {
      if (option.many) slots[i].text = fmt::format("{}", fmt::join(slots[i].words, ","));
      set_value(option, option.long_name(), option.value.empty() ? (slots[i].on ? "true" : "false") : slots[i].text);
    } else if (const auto text = environment(option.env_name()); !text.empty()) {
      set_value(option, option.env_name(), text);
    }
  }
  check_positionals(verb, positionals);
  if (verb.positional.values != nullptr) *verb.positional.values = std::move(positionals);
}

bool asks_for_help(const std::vector<std::string>& arguments) {
  const auto end = std::ranges::find(arguments, "--");
  return std::any_of(arguments.begin(), end, [](const auto& a) { return a == "--help" || a == "-h"; });
}

bool asks_for_json(const std::vector<std::string>& arguments) {
  const auto end = std::ranges::find(arguments, "--");
  if (std::find(arguments.begin(), end, "--json") != end) return true;
  bool json = false;
  to_switch(json)(environment("REVISIT_JSON"));
  return json;
}

const char* parser_library_version() { return CLI11_VERSION; }

}  // namespace revisit::cli

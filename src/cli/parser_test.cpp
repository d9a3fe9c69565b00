// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Arguments parsed by a small table, and what every verb's table must keep to.
#include "cli/parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "cli/binding.h"
#include "cli/help.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "revisit/error.h"

namespace revisit::cli {
namespace {

struct Sample {
  double rho = 1;
  std::string output = "default";
  bool skip_bad = false;
  std::vector<std::string> inputs;
  Verb verb;

  Sample() {
    verb.name = "sample";
    verb.positional = {"INPUT...", "inputs", 1, 3, &inputs};
    verb.options = {{"--rho", "R", "rho", to_number(rho, kRhoRange)},
                    {"-o,--output-file", "FILE", "output", to_text(output)},
                    {"--skip-bad", "", "skip", to_switch(skip_bad)}};
  }

  std::string refusal(const std::vector<std::string>& arguments) {
    try {
      parse_arguments(verb, arguments);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
      return error.what();
    }
    return "";
  }
};

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(Parser, BindsFlagsValuesAndInputsInAnyOrder) {
  Sample sample;
  parse_arguments(sample.verb, {"a.jpg", "--rho", "0.5", "-o", "x.npy", "b.jpg", "--skip-bad"});
  EXPECT_EQ(sample.rho, 0.5);
  EXPECT_EQ(sample.output, "x.npy");
  EXPECT_TRUE(sample.skip_bad);
  EXPECT_EQ(sample.inputs, (std::vector<std::string>{"a.jpg", "b.jpg"}));
}

TEST(Parser, TakesTheLastOfARepeatedOptionAndTheEqualsForm) {
  Sample sample;
  parse_arguments(sample.verb, {"--rho=0.25", "a", "--rho=0.75"});
  EXPECT_EQ(sample.rho, 0.75);
}

TEST(Parser, WordsAfterTwoDashesAreInputs) {
  Sample sample;
  parse_arguments(sample.verb, {"--", "--rho", "b"});
  EXPECT_EQ(sample.inputs, (std::vector<std::string>{"--rho", "b"}));
  EXPECT_EQ(sample.rho, 1);
}

TEST(Parser, AFlagWinsOverTheEnvironmentWhichWinsOverTheDefault) {
  Sample sample;
  const Variable rho("REVISIT_RHO", "0.5");
  const Variable output("REVISIT_OUTPUT_FILE", "env.npy");
  const Variable skip("REVISIT_SKIP_BAD", "1");
  parse_arguments(sample.verb, {"a", "--rho", "0.75"});
  EXPECT_EQ(sample.rho, 0.75);
  EXPECT_EQ(sample.output, "env.npy");
  EXPECT_TRUE(sample.skip_bad);
}

TEST(Parser, AnUnfitEnvironmentValueIsNamed) {
  Sample sample;
  const Variable rho("REVISIT_RHO", "2");
  EXPECT_EQ(sample.refusal({"a"}), "REVISIT_RHO is '2', but must be a number in (0, 1]");
}

TEST(Parser, RefusesWhatItCannotUnderstand) {
  Sample sample;
  EXPECT_EQ(sample.refusal({"a", "--rho", "-1"}), "--rho is '-1', but must be a number in (0, 1]");
  EXPECT_EQ(sample.refusal({"a", "--rhoo", "1"}), "unknown option '--rhoo' of 'sample' - did you mean '--rho'?");
  EXPECT_EQ(sample.refusal({"a", "--skip-bda"}), "unknown option '--skip-bda' of 'sample' - did you mean '--skip-bad'?");
  EXPECT_EQ(sample.refusal({"a", "-z"}), "unknown option '-z' of 'sample'");
  EXPECT_EQ(sample.refusal({"a", "--rho"}), "option '--rho' needs a value");
  EXPECT_EQ(sample.refusal({}), "'sample' needs INPUT...");
  EXPECT_EQ(sample.refusal({"a", "b", "c", "d"}), "'sample' does not take the argument 'd'");
}

TEST(Parser, SeesHelpAndJsonBeforeTheArgumentsAreKnownToBeGood) {
  EXPECT_TRUE(asks_for_help({"--nonsense", "-h"}));
  EXPECT_FALSE(asks_for_help({"--", "--help"}));
  EXPECT_TRUE(asks_for_json({"--nonsense", "--json"}));
  EXPECT_FALSE(asks_for_json({"a"}));
  const Variable json("REVISIT_JSON", "1");
  EXPECT_TRUE(asks_for_json({"a"}));
}

TEST(Verbs, EveryVerbHasThreeExamplesAndAHelpOfAtMostSixtyLines) {
  for (const auto& entry : kVerbs) {
    Console console;
    const Verb verb = entry.make(console);
    EXPECT_EQ(verb.name, entry.name);
    const auto help = verb_help(verb);
    EXPECT_LE(std::ranges::count(help, '\n'), 60) << help;
    for (const auto& example : verb.examples) {
      EXPECT_NE(example.find("revisit " + verb.name), std::string::npos) << example;
      EXPECT_NE(help.find(example), std::string::npos) << example;
    }
    EXPECT_LT(help.find("Examples:"), help.find("Usage:")) << "examples come before options";
  }
}

TEST(Verbs, EveryOptionHasHelpABindingAndItsOwnNames) {
  for (const auto& entry : kVerbs) {
    Console console;
    const Verb verb = entry.make(console);
    const auto help = verb_help(verb);
    std::set<std::string> seen;
    for (const auto& option : verb.options) {
      EXPECT_GE(option.help.size(), 10U) << verb.name << " " << option.names;
      EXPECT_TRUE(option.bind) << verb.name << " " << option.names;
      EXPECT_TRUE(seen.insert(option.env_name()).second) << verb.name << " " << option.names;
      EXPECT_NE(help.find(option.long_name()), std::string::npos);
    }
    EXPECT_NE(help.find("REVISIT_JSON"), std::string::npos) << verb.name << " does not say how the environment sets options";
  }
}

TEST(Parser, AnOptionOfManyTakesWordsUpToTheNextFlag) {
  std::vector<int> values;
  bool on = false;
  Verb verb;
  verb.name = "sample";
  verb.options = {{"--recall-values", "K...", "k", to_ints(values, 3, 1, 100), true}, {"--on", "", "on", to_switch(on)}};
  parse_arguments(verb, {"--recall-values", "1", "5", "10", "--on"});
  EXPECT_EQ(values, (std::vector<int>{1, 5, 10}));
  EXPECT_TRUE(on);
  parse_arguments(verb, {"--recall-values", "7,8"});
  EXPECT_EQ(values, (std::vector<int>{7, 8}));
  for (const auto& bad : std::vector<std::vector<std::string>>{{"0"}, {"101"}, {"x"}, {"1", "2", "3", "4"}, {}}) {
    std::vector<std::string> words{"--recall-values"};
    words.insert(words.end(), bad.begin(), bad.end());
    EXPECT_THROW(parse_arguments(verb, words), Error);
  }
  EXPECT_EQ(values, (std::vector<int>{7, 8})) << "a refused value changes nothing";
}

TEST(Parser, AnOptionThatMayStandBareTakesNoFlagForItsValue) {
  double precision = 0;
  std::string output;
  Verb verb;
  verb.name = "sample";
  verb.options = {{"--calibrate", "[P]", "precision", to_number(precision, {0, 1, true}), false, "0.99"},
                  {"-o,--output", "FILE", "output", to_text(output)}};
  parse_arguments(verb, {"--calibrate", "-o", "x"});
  EXPECT_EQ(precision, 0.99);
  EXPECT_EQ(output, "x");
  parse_arguments(verb, {"--calibrate", "0.5", "-o", "y"});
  EXPECT_EQ(precision, 0.5);
  EXPECT_EQ(output, "y");
  parse_arguments(verb, {"-o", "y", "--calibrate"});
  EXPECT_EQ(precision, 0.99);
  EXPECT_THROW(parse_arguments(verb, {"--calibrate", "-1"}), Error);
  EXPECT_THROW(parse_arguments(verb, {"--calibrate", "much"}), Error);
}

TEST(Verbs, ExamplesParse) {
  for (const auto& entry : kVerbs) {
    for (std::size_t i = 0; i < 3; ++i) {
      Console console;
      const Verb verb = entry.make(console);
      auto rest = verb.examples[i].substr(verb.examples[i].find(verb.name) + verb.name.size());
      rest.erase(std::min(rest.find(" > "), rest.size()));  // redirection is the shell's business
      std::vector<std::string> words;
      for (std::size_t at = 0; (at = rest.find_first_not_of(' ', at)) != std::string::npos;) {
        const auto end = std::min(rest.find(' ', at), rest.size());
        words.push_back(rest.substr(at, end - at));
        at = end;
      }
      EXPECT_NO_THROW(parse_arguments(verb, normalise_arguments(words))) << verb.examples[i];
    }
  }
}

}  // namespace
}  // namespace revisit::cli

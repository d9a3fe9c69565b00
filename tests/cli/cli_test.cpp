// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Basic behaviour: help, unknown words, exit codes, streams and signals.
#include <algorithm>

#include "run_program.h"

namespace revisit::testing {
namespace {

using Cli = ProgramTest;

const std::vector<std::vector<std::string>> kVerbs{{"describe"},
                                                   {"model", "import"},
                                                   {"model", "inspect"},
                                                   {"model", "list"},
                                                   {"bench"},
                                                   {"doctor"},
                                                   {"match"},
                                                   {"eval"},
                                                   {"sweep"},
                                                   {"synth"},
                                                   {"index", "add"},
                                                   {"index", "info"},
                                                   {"index", "verify"},
                                                   {"index", "merge"},
                                                   {"index", "export"},
                                                   {"query"},
                                                   {"train"}};

TEST_F(Cli, HelpFitsOnAScreenAndShowsThreeExamples) {
  const auto help = run_program({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_LE(help.lines(), 26);
  EXPECT_EQ(help.err, "");
  for (const auto* example : {"\n  revisit index add ", "\n  revisit query ", "\n  revisit synth "}) {
    EXPECT_NE(help.out.find(example), std::string::npos) << example;
  }
  EXPECT_EQ(run_program({"help"}).out, help.out);
  EXPECT_EQ(run_program({"-h"}).out, help.out);
}

TEST_F(Cli, HelpOfAVerbIsTheSameFromBothSidesAndAtMostSixtyLines) {
  for (auto words : kVerbs) {
    auto asked = words;
    asked.insert(asked.begin(), "help");
    words.emplace_back("--help");
    const auto help = run_program(words);
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_LE(help.lines(), 60) << help.out;
    EXPECT_EQ(run_program(asked).out, help.out);
    const auto examples = help.out.substr(help.out.find("Examples:"), help.out.find("Usage:") - help.out.find("Examples:"));
    EXPECT_EQ(std::count(examples.begin(), examples.end(), '\n'), 5) << "a heading, three examples, an empty line: " << examples;
  }
  const auto group = run_program({"model", "--help"});
  EXPECT_EQ(group.exit_code, 0);
  EXPECT_NE(group.out.find("import"), std::string::npos);
}

TEST_F(Cli, HelpNeverListsWhatIsNotBuilt) {
  for (auto words : kVerbs) {
    words.emplace_back("--help");
    const auto help = run_program(words).out;
    for (const auto* flag : {"--config", "netvlad"}) {
      EXPECT_EQ(help.find(flag), std::string::npos) << words[0] << " " << flag;
    }
  }
}

TEST_F(Cli, VersionComesAtOnce) {
  std::vector<double> cpu_ms;
  for (int i = 0; i < 9; ++i) {
    const auto run = run_program({"--version"});
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_TRUE(run.out.starts_with("revisit ")) << run.out;
    cpu_ms.push_back(run.cpu_ms);
  }
  std::ranges::sort(cpu_ms);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr double kLimitMs = 3000;  // the sanitizer's own start
#else
  constexpr double kLimitMs = 30;
#endif
  EXPECT_LT(cpu_ms[4], kLimitMs) << "processor time; wall time depends on what else runs";
}

TEST_F(Cli, AWrongWordGetsASuggestionAndExitTwo) {
  const auto verb = run_program({"desribe", "x.jpg"});
  EXPECT_EQ(verb.exit_code, 2);
  EXPECT_EQ(verb.out, "");
  EXPECT_TRUE(verb.err.starts_with("revisit: error: unknown command 'desribe' - did you mean 'describe'?\n")) << verb.err;
  EXPECT_NE(verb.err.find("\nhint: "), std::string::npos);
  const auto member = run_program({"model", "imprt", "x"});
  EXPECT_EQ(member.exit_code, 2);
  EXPECT_NE(member.err.find("unknown command 'model imprt' - did you mean 'import'?"), std::string::npos) << member.err;
  const auto flag = run_program({"describe", "x.jpg", "--skip-bda"});
  EXPECT_EQ(flag.exit_code, 2);
  EXPECT_NE(flag.err.find("unknown option '--skip-bda' of 'describe' - did you mean '--skip-bad'?"), std::string::npos)
      << flag.err;
  const auto stranger = run_program({"xylophone"});
  EXPECT_EQ(stranger.exit_code, 2);
  EXPECT_EQ(stranger.err.find("did you mean"), std::string::npos);
}

TEST_F(Cli, IncompleteRequestsExitTwo) {
  EXPECT_EQ(run_program({}).exit_code, 2);
  EXPECT_EQ(run_program({"describe"}).exit_code, 2);
  EXPECT_EQ(run_program({"model"}).exit_code, 2);
  EXPECT_EQ(run_program({"model", "import"}).exit_code, 2);
  EXPECT_EQ(run_program({"model", "import", "x.pth"}).exit_code, 2);
  EXPECT_EQ(run_program({"describe", "x.jpg", "--rho"}).exit_code, 2);
  EXPECT_EQ(run_program({"bench", "surplus"}).exit_code, 2);
  EXPECT_EQ(run_program({"--jsno"}).exit_code, 2);
  EXPECT_EQ(run_program({"bench", "--model", "demo", "--random", "vits14"}).exit_code, 2);
}

TEST_F(Cli, ErrorsAreOneJsonObjectWithTheJsonFlag) {
  const auto unknown = run_program({"describe", "x.jpg", "--rhoo", "1", "--json"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.lines(), 1);
  const auto object = unknown.json();
  EXPECT_EQ(object.at("schema"), 1);
  EXPECT_EQ(object.at("error").at("code"), "usage");
  EXPECT_NE(object.at("error").at("message").get<std::string>().find("--rho"), std::string::npos);
  EXPECT_TRUE(object.at("error").contains("hint"));
  const auto missing = run_program({"model", "inspect", path("none.safetensors"), "--json"});
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_EQ(missing.json().at("error").at("code"), "not_found");
}

TEST_F(Cli, RhoOutsideItsRangeIsAUsageError) {
  const auto photo = picture("a.png");
  for (const auto* rho : {"0", "-1", "NaN", "1.0000001", "inf", "1e400", "half", ""}) {
    const auto run = run_program({"describe", photo, "--rho", rho});
    EXPECT_EQ(run.exit_code, 2) << rho;
    EXPECT_NE(run.err.find(std::string("--rho is '") + rho + "', but must be a number in (0, 1]"), std::string::npos) << run.err;
    EXPECT_EQ(run_program({"bench", std::string("--rho=1,") + rho}).exit_code, 2) << rho;
  }
  EXPECT_EQ(run_program({"describe", photo, "--rho", "1e-9", "-q"}).exit_code, 0) << "one token is kept";
}

TEST_F(Cli, AFlagWinsOverTheEnvironment) {
  const auto photo = picture("a.png");
  const RunOptions half{.environment = {{"REVISIT_RHO", "0.5"}, {"REVISIT_JSON", "1"}, {"REVISIT_QUIET", "1"}}};
  const auto from_environment = run_program({"describe", photo}, half);
  EXPECT_EQ(from_environment.json().at("rho"), 0.5);
  EXPECT_EQ(from_environment.err, "");
  EXPECT_EQ(run_program({"describe", photo, "--rho", "0.75"}, half).json().at("rho"), 0.75);
  EXPECT_EQ(run_program({"describe", photo, "--json"}).json().at("rho"), 1.0);
  const auto bad = run_program({"describe", photo}, {.environment = {{"REVISIT_RHO", "7"}}});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_NE(bad.err.find("REVISIT_RHO is '7'"), std::string::npos) << bad.err;
}

TEST_F(Cli, UnderscoresAndDashesSpellTheSameFlag) {
  const auto photo = picture("a.png");
  const auto dashes = run_program({"describe", photo, "--norm-scale", "raw", "--rho", "0.5", "--json", "-q"});
  const auto underscores = run_program({"describe", photo, "--norm_scale", "raw", "--rho", "0.5", "--json", "-q"});
  ASSERT_EQ(dashes.exit_code, 0) << dashes.out;
  ASSERT_EQ(underscores.exit_code, 0) << underscores.out;
  EXPECT_EQ(dashes.json().at("images").at(0).at("descriptor"), underscores.json().at("images").at(0).at("descriptor"));
}

TEST_F(Cli, AReaderThatLeavesEndsTheProgramWithoutAWord) {
  const auto photo = picture("a.png");
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"--help"}, {"describe", photo, "--json", "-q"}, {"model", "list", "-q"}}) {
    const auto run = run_program(words, {.close_stdout = true});
    EXPECT_EQ(run.exit_code, 141) << words[0];
    EXPECT_EQ(run.err, "") << words[0];
  }
  const auto stored = run_program({"describe", photo, "-o", path("out.npy"), "--json", "-q"}, {.close_stdout = true});
  EXPECT_EQ(stored.exit_code, 141);
  EXPECT_TRUE(exists("out.npy")) << "files are written before anything is printed";
}

TEST_F(Cli, AFullDeviceIsExitFive) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const auto photo = picture("a.png");
  const auto run = run_program({"describe", photo, "-q"}, {.stdout_file = "/dev/full"});
  EXPECT_EQ(run.exit_code, 5);
  EXPECT_NE(run.err.find("No space left"), std::string::npos) << run.err;
  EXPECT_EQ(run_program({"describe", photo, "-q", "-o", "/dev/full"}).exit_code, 5);
}

TEST_F(Cli, SignalsStopBetweenTwoImagesAndNothingIsWritten) {
  std::vector<std::string> words{"describe", "-o", path("out.npy")};
  words.insert(words.end(), 20000, picture("a.png"));
  for (const auto& [signal, exit_code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}, {SIGHUP, 129}}) {
    const auto run = run_program(words, {.signal_after_first_talk = signal});
    EXPECT_EQ(run.exit_code, exit_code);
    EXPECT_NE(run.err.find("of 20000 inputs; nothing was written"), std::string::npos) << run.err;
    EXPECT_EQ(files(), 1U) << "only the picture";
  }
}

TEST_F(Cli, NoColourIsWritten) {
  const auto photo = picture("a.png");
  for (const auto& run : {run_program({"describe", photo, photo}), run_program({"doctor"}), run_program({"nonsense"})}) {
    EXPECT_EQ((run.out + run.err).find('\x1b'), std::string::npos);
  }
}

}  // namespace
}  // namespace revisit::testing

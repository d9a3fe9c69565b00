// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit train` up to the start of revisit-train: presets, refusals, and its arguments. A script stands in for
// revisit-train, beside a copy of the program.
#include "revisit/lab/train.h"

#include <algorithm>

#include "run_program.h"

namespace revisit::testing {
namespace {

namespace fs = std::filesystem;

const std::string kTown = "name = \"small\"\n[[data.source]]\nkind = \"town\"\n";

class Train : public ProgramTest {
 protected:
  /// A copy of the program without anything beside it.
  std::string lonely_program() const {
    fs::create_directories(folder_ / "prefix" / "bin");
    fs::copy_file(REVISIT_PROGRAM, folder_ / "prefix" / "bin" / "revisit");
    return path("prefix/bin/revisit");
  }

  /// The same with a script in place of revisit-train.
  std::string program_with(const std::string& script) const {
    const auto program = lonely_program();
    text_file("prefix/libexec/revisit/revisit-train", "#!/bin/sh\n" + script + "\n");
    fs::permissions(folder_ / "prefix/libexec/revisit/revisit-train", fs::perms::owner_all);
    return program;
  }

  RunResult run(const std::string& program, const std::vector<std::string>& arguments, RunOptions options = {}) const {
    options.program = program;
    options.folder = folder_;
    return run_program(arguments, options);
  }
};

TEST_F(Train, PrintsEachPresetAndTakesItBack) {
  const auto names = train_presets();
  ASSERT_EQ(names.size(), 7U);
  for (const auto& name : names) {
    const auto run = run_program({"train", "--print-config", name});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.out, train_preset(name));
    EXPECT_EQ(parse_train_config(run.out, name, folder_).name, name);
  }
  const auto unknown = run_program({"train", "--print-config", "weiad-tyni"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.out, "");
  EXPECT_TRUE(unknown.err.starts_with("revisit: error: there is no preset 'weiad-tyni' - did you mean 'weiad-tiny'?\n"))
      << unknown.err;
  EXPECT_EQ(run_program({"train", "x.toml", "--print-config", "weiad-tiny"}).exit_code, 2);
}

TEST_F(Train, RefusesABadConfigurationBeforeAnythingElse) {
  const auto refused = [&](const std::string& toml) { return run_program({"train", text_file("c.toml", toml)}); };
  const auto key = refused(kTown + "[loss]\nms_bta = 20\n");
  EXPECT_EQ(key.exit_code, 2);
  EXPECT_NE(key.err.find("c.toml:5: [loss] has no key 'ms_bta' - did you mean 'ms_beta'?\n"), std::string::npos) << key.err;
  const auto type = refused(kTown + "[data]\nworkers = \"two\"\n");
  EXPECT_EQ(type.exit_code, 2);
  EXPECT_NE(type.err.find("c.toml:5: [data] workers is \"two\", but must be a whole number from 1 to 256"), std::string::npos)
      << type.err;
  const auto range = refused(kTown + "[augment]\ncrop = 1.5\n");
  EXPECT_EQ(range.exit_code, 2);
  EXPECT_NE(range.err.find("[augment] crop is 1.5, but must be a number in [0, 1]"), std::string::npos) << range.err;
  const auto syntax = refused("name = \n");
  EXPECT_EQ(syntax.exit_code, 3);
  EXPECT_NE(syntax.err.find("c.toml:1:"), std::string::npos) << syntax.err;
  const auto missing = run_program({"train", path("none.toml")});
  EXPECT_EQ(missing.exit_code, 3);
  const auto none = run_program({"train"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("--print-config"), std::string::npos) << none.err;
  const auto device = run_program({"train", path("none.toml"), "--device", "gpu"});
  EXPECT_EQ(device.exit_code, 2);
  EXPECT_NE(device.err.find("--device is 'gpu', but must be"), std::string::npos) << device.err;
}

TEST_F(Train, NamesWhatTheConfigurationExpectsOnDisk) {
  const auto file = text_file("sub/c.toml", "[model]\nbackbone = \"b.pth\"\n" + kTown.substr(kTown.find('[')));
  const auto backbone = run_program({"train", file});
  EXPECT_EQ(backbone.exit_code, 3);
  EXPECT_NE(backbone.err.find("[model] backbone does not exist: '" + path("sub/b.pth") + "'"), std::string::npos) << backbone.err;
  const auto pairs =
      text_file("p.toml", "[[data.source]]\nkind = \"pairs\"\npath = \".\"\nqueries = \"sub\"\nreferences = \"winter\"\n");
  const auto references = run_program({"train", pairs});
  EXPECT_EQ(references.exit_code, 3);
  EXPECT_NE(references.err.find("[[data.source]] 1 references does not exist"), std::string::npos) << references.err;
  const auto town = text_file("town.toml", kTown);
  const auto out = run_program({"train", town, "--out", town});
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_NE(out.err.find("is a file, but training writes into a folder"), std::string::npos) << out.err;
}

TEST_F(Train, WithoutItsSecondProgramItSaysWhatToInstall) {
  const auto run = this->run(lonely_program(), {"train", text_file("c.toml", kTown)});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find("built without LibTorch (packages libtorch-dev and libopenblas0-openmp)"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("\nhint: "), std::string::npos) << run.err;
  EXPECT_FALSE(exists("runs")) << "nothing is made before training starts";
}

TEST_F(Train, HandsOverWithFlagsThreadsAndLibraryPath) {
  const auto program = program_with(
      "printf '%s\\n' \"$@\" \"$OMP_NUM_THREADS threads\" \"$OMP_WAIT_POLICY waiting\" \"libraries $LD_LIBRARY_PATH\"; exit 42");
  text_file("c.toml", "threads = 3\n" + kTown);
  RunOptions alone;
  alone.environment = {{"REVISIT_THREADS", ""}, {"OMP_WAIT_POLICY", "active"}, {"LD_LIBRARY_PATH", "/before"}};
  const auto plain = run(program, {"train", "c.toml"}, alone);
  EXPECT_EQ(plain.exit_code, 42) << "the exit code is revisit-train's own";
  EXPECT_TRUE(plain.out.starts_with("c.toml\n--out\nruns/small\n3 threads\nactive waiting\nlibraries ")) << plain.out;
  EXPECT_TRUE(plain.out.ends_with("/before\n")) << plain.out;
  const bool has_blas = fs::exists(REVISIT_OPENBLAS_FOLDER "/libblas.so.3");
  EXPECT_EQ(plain.out.find(" " REVISIT_OPENBLAS_FOLDER ":") != std::string::npos, has_blas) << plain.out;
  EXPECT_EQ(plain.err.find("libopenblas0-openmp is not installed") == std::string::npos, has_blas) << plain.err;

  const auto flags = run(program, {"train", "c.toml", "--out", "o ut", "--resume", "--device", "cpu", "--precision", "bf16",
                                   "--threads", "2", "--steps", "5", "--seed", "7"});
  EXPECT_TRUE(flags.out.starts_with(
      "c.toml\n--out\no ut\n--resume\n--device\ncpu\n--precision\nbf16\n--threads\n2\n--steps\n5\n--seed\n7\n2 threads\n"
      "passive waiting\n"))
      << flags.out;
  text_file("-d.toml", kTown);
  alone.environment.emplace_back("OMP_NUM_THREADS", "5");
  const auto dash = run(program, {"train", "--", "-d.toml"}, alone);
  EXPECT_TRUE(dash.out.starts_with("./-d.toml\n--out\nruns/small\n5 threads\n")) << dash.out << dash.err;
}

TEST_F(Train, KernelsOfTheMatrixLibraryAreChosenByTheProcessorsInstructions) {
  const auto program = program_with("printf '%s' \"$OPENBLAS_CORETYPE\"");
  text_file("c.toml", kTown);
  RunOptions alone;
  alone.environment = {{"OPENBLAS_CORETYPE", "Nehalem"}};
  EXPECT_EQ(run(program, {"train", "c.toml"}, alone).out, "Nehalem") << "the user's word stands";
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) GTEST_SKIP() << "this processor has no AVX2";
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) GTEST_SKIP() << "OPENBLAS_CORETYPE is set";
  const auto chosen = run(program, {"train", "c.toml"}).out;
  EXPECT_EQ(chosen, __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") ? "SkylakeX" : "Haswell");
#endif
}

TEST_F(Train, SignalsReachTheProgramItBecame) {
  const auto program = program_with("trap 'echo stopped; exit 130' INT; echo started >&2; while :; do sleep 0.05; done");
  text_file("c.toml", kTown);
  RunOptions options;
  options.signal_after_first_talk = SIGINT;
  const auto stopped = run(program, {"train", "c.toml"}, options);
  EXPECT_EQ(stopped.exit_code, 130);
  EXPECT_EQ(stopped.out, "stopped\n") << stopped.err;
}

}  // namespace
}  // namespace revisit::testing

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// --precision everywhere, what a model and an index remember of it, and `revisit model quantise`.
#include "run_program.h"

namespace revisit::testing {
namespace {

constexpr const char* kTiny = "models/revisit-tiny.safetensors";

class PrecisionFlag : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    for (std::uint32_t i = 1; i <= 3; ++i) {
      picture("q/" + std::to_string(i) + ".png", i);
      picture("r/" + std::to_string(i) + ".png", i);
    }
    text_file("gt.csv", "query,best_ref,accepted_refs\n1.png,1.png,1.png\n2.png,2.png,2.png\n3.png,3.png,3.png\n");
  }
  static RunResult run(std::vector<std::string> arguments) {
    const auto result = run_program(arguments);
    EXPECT_EQ(result.exit_code, 0) << arguments.front() << ' ' << result.out << result.err;
    return result;
  }
  /// What a photo is described in.
  static nlohmann::json word_of(const nlohmann::json& object) { return object.at("precision"); }
  nlohmann::json described(std::vector<std::string> more) const {
    more.insert(more.begin(), {"describe", path("q/1.png"), "--json", "--size", "56x56"});
    return run(more).json();
  }
  std::string automatic() const { return word_of(described({"--precision", "auto"})); }
  std::string quantised(const std::vector<std::string>& more = {}) const {
    const std::string out = path("tiny8.safetensors");
    std::vector<std::string> arguments{"model", "quantise", kTiny, "-o", out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    run(arguments);
    return out;
  }
};

TEST_F(PrecisionFlag, IsTakenByEveryVerbThatDescribesAndNeverRecordedAsAuto) {
  const std::string auto_word = automatic();
  EXPECT_NE(auto_word, "auto");
  for (const std::string asked : {"auto", "f32", "bf16", "int8"}) {
    const std::string word = asked == "auto" ? auto_word : asked;
    EXPECT_EQ(word_of(described({"--precision", asked})), word);
    const std::vector<std::string> side{"--size", "56x56", "--precision", asked, "--json"};
    const auto with = [&](std::vector<std::string> words) {
      words.insert(words.end(), side.begin(), side.end());
      return run(words).json();
    };
    const auto index = path("db-" + asked);
    with({"index", "add", index, path("r")});
    EXPECT_EQ(word_of(run({"index", "info", index, "--json"}).json()), word);
    EXPECT_EQ(with({"query", index, path("q/1.png")}).at("queries").size(), 1U);
    const auto out = path("match-" + asked);
    with({"match", path("q"), path("r"), "-o", out});
    EXPECT_EQ(word_of(nlohmann::json::parse(contents("match-" + asked + "/run.json"))), word);
    EXPECT_EQ(word_of(with({"eval", "--queries-folder", path("q"), "--database-folder", path("r"), "--gt", path("gt.csv")})),
              word);
    with({"sweep", "--rho", "1,0.5", "--queries-folder", path("q"), "--database-folder", path("r"), "--gt", path("gt.csv"), "-o",
          path("sweep-" + asked)});
    const auto sweep = nlohmann::json::parse(contents("sweep-" + asked + "/sweep.json"));
    EXPECT_EQ(word_of(sweep), word);
    EXPECT_EQ(word_of(with({"bench", "--repeats", "1", "--rho", "1"}).at("runs").at(0)), word);
  }
  EXPECT_EQ(run_program({"describe", path("q/1.png"), "--precision", "int4"}).exit_code, 2);
}

TEST_F(PrecisionFlag, IsAKeyOfTheRowsOfAComparison) {
  text_file("c.toml", R"(name = "p"
[[dataset]]
name = "d"
queries = "q"
references = "r"
gt = "gt.csv"
[[row]]
name = "exact"
models = ["demo"]
size = "56x56"
[[row]]
name = "bytes"
models = ["demo"]
size = "56x56"
precision = "int8"
[[row]]
name = "halves"
models = ["demo"]
size = "56x56"
precision = "bf16"
)");
  const auto run = run_program({"compare", "c.toml", "--json"}, {.folder = folder_});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.json().at("rows").size(), 3U);
  EXPECT_EQ(files("runs/p/cells"), 6U) << "a file of answers and one of times each: another arithmetic is another measurement";
  text_file("c.toml", contents("c.toml") + "[[row]]\nname = \"odd\"\nmodels = [\"demo\"]\nprecision = \"int4\"\n");
  const auto odd = run_program({"compare", "c.toml"}, {.folder = folder_});
  EXPECT_EQ(odd.exit_code, 2);
  EXPECT_NE(odd.err.find("precision is \"int4\", but must be one of auto, f32, bf16, int8"), std::string::npos) << odd.err;
}

TEST_F(PrecisionFlag, ADifferenceFromTheIndexIsToldInOneLineAndAutoIsTheWordItStandsFor) {
  const std::string index = path("db"), word = automatic(), other = word == "bf16" ? "int8" : "bf16";
  run({"index", "add", index, path("r"), "--size", "56x56", "--precision", word});
  const auto told = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"query", index, path("q/1.png"), "--min-similarity", "0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments).err;
  };
  EXPECT_EQ(told({}), "") << "an index remembers";
  EXPECT_EQ(told({"--precision", word}), "");
  EXPECT_EQ(told({"--precision", "auto"}), "");
  const std::string notice = told({"--precision", other});
  EXPECT_NE(notice.find("notice: settings differ from those of the index: precision " + other + ", not " + word + "\n"),
            std::string::npos)
      << notice;
  const auto more = run({"index", "add", index, picture("r2/9.png", 9), "--precision", other});
  EXPECT_NE(more.err.find("precision " + other + ", not " + word), std::string::npos) << more.err;
  EXPECT_EQ(run({"index", "info", index, "--json"}).json().at("precision"), word);
}

TEST_F(PrecisionFlag, AModelFileRecordsItsOwnChoice) {
  const std::string own = path("own.safetensors"), plain = path("plain.safetensors");
  run({"model", "import", kTiny, "-o", own, "--precision", "bf16"});
  run({"model", "import", kTiny, "-o", plain, "--licence", "mine"});
  const auto inspected = [](const std::string& file) { return run({"model", "inspect", file, "--json"}).json(); };
  EXPECT_EQ(inspected(own).at("precision"), "bf16");
  EXPECT_EQ(inspected(plain).at("precision"), "f32");
  EXPECT_EQ(inspected(own).at("identity"), inspected(plain).at("identity"));
  EXPECT_NE(run({"model", "inspect", own}).out.find("\nprecision     bf16\n"), std::string::npos);
  EXPECT_EQ(word_of(described({"--model", own})), "bf16");
  EXPECT_EQ(word_of(described({"--model", own, "--precision", "f32"})), "f32");
  EXPECT_EQ(word_of(described({"--model", plain})), "f32") << "a model without a choice runs in f32";
  run({"model", "import", own, "-o", plain, "--precision", "auto"});
  EXPECT_EQ(inspected(plain).at("precision"), "auto");
  EXPECT_EQ(word_of(described({"--model", plain})), automatic());
  EXPECT_EQ(run_program({"model", "import", kTiny, "-o", own, "--precision", "int4"}).exit_code, 2);
}

TEST_F(PrecisionFlag, AQuantisedModelIsSmallerAndTheSameModel) {
  const std::string small = quantised();
  const auto info = run({"model", "inspect", small, "--json"}).json();
  const auto original = run({"model", "inspect", kTiny, "--json"}).json();
  EXPECT_EQ(info.at("precision"), "int8");
  EXPECT_TRUE(info.at("quantised").get<bool>());
  EXPECT_FALSE(original.at("quantised").get<bool>());
  for (const char* key : {"identity", "fingerprint", "parameters"}) EXPECT_EQ(info.at(key), original.at(key)) << key;
  EXPECT_NE(run({"model", "inspect", small}).out.find("precision     int8; matrices stored in 8 bits"), std::string::npos);
  EXPECT_LT(std::filesystem::file_size(small) * 3, std::filesystem::file_size(kTiny) * 2)
      << "its source has 16 bits, and a large head";

  const std::string index = path("db");
  run({"index", "add", index, path("r"), "--size", "56x56"});
  const auto asked =
      run({"query", index, path("q/1.png"), "--min-similarity", "0", "--model", small, "--precision", "int8", "--json"});
  EXPECT_NE(asked.err.find("settings differ from those of the index: precision int8, not f32"), std::string::npos) << asked.err;
  EXPECT_EQ(asked.json().at("queries").at(0).at("matches").at(0).at("reference"), "1.png");
  EXPECT_EQ(run({"query", index, path("q/1.png"), "--min-similarity", "0", "--model", small}).err, "") << "as the index, f32";

  const auto json = run({"model", "quantise", kTiny, "-o", path("j.safetensors"), "--precision", "f32", "--json"}).json();
  EXPECT_EQ(json.at("matrices"), 24);
  EXPECT_EQ(json.at("bytes"), std::filesystem::file_size(path("j.safetensors")));
  EXPECT_EQ(json.at("source_bytes"), std::filesystem::file_size(kTiny));
  EXPECT_EQ(json.at("identity"), original.at("identity"));
  EXPECT_EQ(run({"model", "inspect", path("j.safetensors"), "--json"}).json().at("precision"), "f32");
}

TEST_F(PrecisionFlag, WhatAQuantisedModelCannotDoIsSaidInOneSentence) {
  const std::string small = quantised(), out = path("out.safetensors");
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& sentence) {
    const auto result = run_program(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_NE(result.err.find("'" + small + "' is quantised" + sentence), std::string::npos) << result.err;
    EXPECT_FALSE(exists("out.safetensors"));
  };
  refused({"model", "quantise", small, "-o", out}, " already\n");
  refused({"model", "average", small, small, "-o", out}, ", so it cannot be averaged\n");
  refused({"model", "import", small, "-o", out, "--half"}, ", so it cannot be stored in 16 bits\n");
  EXPECT_EQ(run_program({"model", "quantise", small, "-o", small}).exit_code, 2);
  EXPECT_EQ(run_program({"model", "quantise", small}).exit_code, 2);
  EXPECT_EQ(run_program({"model", "quantise", text_file("junk.safetensors", "junk"), "-o", out}).exit_code, 3);

  run({"model", "import", small, "-o", path("named.safetensors"), "--licence", "mine", "--size", "56x56"});
  EXPECT_EQ(run({"model", "inspect", path("named.safetensors"), "--json"}).json().at("licence"), "mine");
  run({"model", "fit-vlad", small, "--photos", path("r"), "--clusters", "4", "--layer", "2", "--size", "56x56", "-o",
       path("vlad.safetensors")});
  const auto vlad = run({"model", "inspect", path("vlad.safetensors"), "--json"}).json();
  EXPECT_TRUE(vlad.at("quantised").get<bool>());
  EXPECT_EQ(vlad.at("precision"), "int8");
  EXPECT_EQ(word_of(described({"--model", path("vlad.safetensors")})), "int8");
  run_program({"eval", "--queries-folder", path("q"), "--database-folder", path("r"), "--gt", path("gt.csv"), "--model", small,
               "--calibrate", "0.5", "--calibrated-model", path("calibrated.safetensors"), "--size", "56x56"});
  const auto calibrated = run({"model", "inspect", path("calibrated.safetensors"), "--json"}).json();
  EXPECT_EQ(calibrated.at("calibrated_precision"), 0.5);
  EXPECT_TRUE(calibrated.at("quantised").get<bool>());
}

}  // namespace
}  // namespace revisit::testing

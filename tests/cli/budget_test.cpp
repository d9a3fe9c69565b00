// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How much of a photo is kept: by the mass of its scores, and by a budget of milliseconds.
#include <algorithm>

#include "run_program.h"

namespace revisit::testing {
namespace {

class Kept : public ProgramTest {
 protected:
  /// With a cache of its own, so that nothing is measured into the user's.
  RunResult run(std::vector<std::string> words) const {
    return run_program(words, {.environment = {{"XDG_CACHE_HOME", path("cache")}, {"HOME", "/nowhere"}}, .folder = folder_});
  }
  /// Of an array that --dump left; its header has one size.
  std::size_t bytes_of(const std::string& name) const { return std::filesystem::file_size(folder_ / name); }
};

TEST_F(Kept, EveryPhotoHasItsOwnMass) {
  const auto photo = picture("a.png", 3);
  ASSERT_EQ(run({"describe", photo, "--keep-mass", "0.3", "--rho", "0.1", "--dump", "less"}).exit_code, 0);
  ASSERT_EQ(run({"describe", photo, "--keep-mass", "0.9", "--rho", "0.1", "--dump", "more"}).exit_code, 0);
  ASSERT_EQ(run({"describe", photo, "--keep-mass", "1", "--dump", "all"}).exit_code, 0);
  EXPECT_LT(bytes_of("less/kept.npy"), bytes_of("more/kept.npy"));
  EXPECT_LT(bytes_of("more/kept.npy"), bytes_of("all/kept.npy"));
  const auto floor = run({"describe", photo, "--keep-mass", "0.3", "--json"}).json();
  EXPECT_EQ(floor.at("keep_mass"), 0.3);
  EXPECT_EQ(floor.at("rho"), 0.25);
  const auto norm = run({"describe", photo, "--keep-mass", "0.3", "--prune", "norm"});
  EXPECT_EQ(norm.exit_code, 2);
  EXPECT_NE(norm.err.find("--keep-mass 0.3 needs the scores of WeiToP, but --prune is norm"), std::string::npos) << norm.err;
}

TEST_F(Kept, AnIndexRemembersTheMassAndARhoReplacesIt) {
  const auto photo = picture("photos/a.png", 3);
  ASSERT_EQ(run({"index", "add", "places.rvs", "photos", "--keep-mass", "0.8"}).exit_code, 0);
  const auto same = run({"query", "places.rvs", photo});
  EXPECT_EQ(same.exit_code, 0);
  EXPECT_EQ(same.err.find("settings differ"), std::string::npos) << same.err;
  const auto other = run({"query", "places.rvs", photo, "--rho", "0.5"});
  EXPECT_NE(other.err.find("settings differ from those of the index: rho 0.5, not 0.25; keep_mass none, not 0.8"),
            std::string::npos)
      << other.err;
}

TEST_F(Kept, EvalSaysHowMuchWasKept) {
  for (const char* folder : {"q", "d"}) {
    for (std::uint32_t i = 1; i < 4; ++i) picture(std::string(folder) + "/" + std::to_string(i) + ".png", i);
  }
  text_file("gt.csv", "query,best_ref,accepted_refs\n1.png,1.png,1.png\n2.png,2.png,2.png\n3.png,3.png,3.png\n");
  const std::vector<std::string> eval{"eval",   "--queries_folder", "q", "--database_folder", "d",  "--gt",
                                      "gt.csv", "--recall_values",  "1", "--keep-mass",       "0.5"};
  const auto words = run(eval);
  EXPECT_EQ(words.exit_code, 0) << words.err;
  EXPECT_NE(words.out.find("kept on average 0."), std::string::npos) << words.out;
  auto as_json = eval;
  as_json.emplace_back("--json");
  const double kept = run(as_json).json().at("mean_kept").get<double>();
  EXPECT_GE(kept, 0.25);
  EXPECT_LT(kept, 1);
  auto calibrate = eval;
  calibrate.insert(calibrate.end(), {"--calibrate", "0.9", "--calibrated-model", "out.safetensors"});
  EXPECT_NE(run(calibrate).err.find("--keep-mass 0.5 and --calibrate cannot be used together"), std::string::npos);
}

TEST_F(Kept, ABudgetIsMeasuredOnceAndChoosesRho) {
  const auto photo = picture("a.png");
  const auto first = run({"describe", photo, "--model", "demo", "--budget-ms", "100000", "--json"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_NE(first.err.find("budget 100000 ms: rho 1, f32 ("), std::string::npos) << first.err;
  EXPECT_NE(first.err.find(" ms at the median here)"), std::string::npos) << first.err;
  EXPECT_EQ(first.json().at("rho"), 1.0);
  ASSERT_EQ(files("cache/revisit"), 1U);
  const auto file = std::filesystem::directory_iterator(folder_ / "cache/revisit")->path();
  const auto kept = "cache/revisit/" + file.filename().string();
  auto speeds = nlohmann::json::parse(contents(kept));
  speeds["speeds"] = {{{"rho", 1}, {"median_ms", 2000}, {"upper_ms", 2000}},
                      {{"rho", 0.5}, {"median_ms", 999}, {"upper_ms", 1000}}};
  text_file(kept, speeds.dump());
  const auto second = run({"describe", photo, "--model", "demo", "--budget-ms", "1500", "--json"});
  EXPECT_EQ(second.json().at("rho"), 0.75) << "by the file, so it was not measured again";
  EXPECT_NE(second.err.find("budget 1500 ms: rho 0.75, f32 (1500 ms at the median here)"), std::string::npos) << second.err;
  text_file(kept, "{");
  EXPECT_EQ(run({"describe", photo, "--model", "demo", "--budget-ms", "100000", "--json"}).json().at("rho"), 1.0);
  EXPECT_NE(contents(kept), "{") << "measured again, in place of a damaged file";
}

TEST_F(Kept, ABudgetServesIndexQueryMatchEvalAndBench) {
  const auto photo = picture("photos/a.png");
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"index", "add", "places.rvs", "photos", "--model", "demo"},
           {"query", "places.rvs", photo},
           {"match", "photos", "photos", "--model", "demo"},
           {"eval", "--queries_folder", "photos", "--database_folder", "photos", "--no_labels", "--model", "demo"},
           {"bench", "--model", "demo", "--repeats", "1"}}) {
    auto given = words;
    given.insert(given.end(), {"--budget-ms", "100000"});
    const auto done = run(given);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_NE(done.err.find("budget 100000 ms: rho 1, f32 ("), std::string::npos) << words[0] << done.err;
    given.insert(given.end(), {"--rho", "0.5"});
    const auto both = run(given);
    EXPECT_EQ(both.exit_code, 2) << words[0];
    EXPECT_NE(both.err.find("--budget-ms 100000 and --rho both decide how much of a photo is kept: one is enough"),
              std::string::npos)
        << both.err;
  }
  EXPECT_EQ(files("cache/revisit"), 1U) << "one model at one size with one thread";
  const auto mass = run({"describe", photo, "--budget-ms", "50", "--keep-mass", "0.5"});
  EXPECT_NE(mass.err.find("--budget-ms 50 and --keep-mass both decide"), std::string::npos) << mass.err;
}

TEST_F(Kept, ABudgetNothingFitsIntoIsAUsageError) {
  const auto photo = picture("a.png");
  const auto none = run({"describe", photo, "--budget-ms", "0.0001"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("a budget of 0.0001 ms is too small: the fastest here takes "), std::string::npos) << none.err;
  EXPECT_NE(none.err.find(", at rho 0.2"), std::string::npos) << none.err;
  EXPECT_NE(none.err.find("hint: "), std::string::npos) << none.err;
  EXPECT_EQ(run({"describe", photo, "--budget-ms", "0"}).exit_code, 2);
}

TEST_F(Kept, ARunThatWasSlowerThanItsBudgetSaysSoAndIsMeasuredAgain) {
  const auto photo = picture("a.png");
  ASSERT_EQ(run({"describe", photo, "--model", "demo", "--budget-ms", "100000"}).exit_code, 0);
  const auto kept = "cache/revisit/" + std::filesystem::directory_iterator(folder_ / "cache/revisit")->path().filename().string();
  auto speeds = nlohmann::json::parse(contents(kept));
  for (auto& one : speeds["speeds"]) one["median_ms"] = one["upper_ms"] = 1e-7;
  text_file(kept, speeds.dump());
  std::vector<std::string> words{"describe", "--model", "demo", "--budget-ms", "0.00001"};
  words.insert(words.end(), 12, photo);
  const auto slow = run(words);
  EXPECT_EQ(slow.exit_code, 0) << slow.err;
  EXPECT_NE(slow.err.find("more than the budget of 1e-05 ms: the machine was busier than when its speed was measured; it is "
                          "measured again next time"),
            std::string::npos)
      << slow.err;
  EXPECT_EQ(files("cache/revisit"), 0U);

  // Measured in a busy second: the rho is smaller than it had to be.
  for (auto& one : speeds["speeds"]) one["median_ms"] = one["upper_ms"] = 1e6 * one["rho"].get<double>();
  text_file(kept, speeds.dump());
  words[4] = "500000";
  const auto fast = run(words);
  EXPECT_NE(fast.err.find("rho 0.5, f32 (500000 ms at the median here)"), std::string::npos) << fast.err;
  EXPECT_NE(
      fast.err.find(
          "ms, not 500000.0 ms: the machine was less busy than when its speed was measured; it is measured again next time"),
      std::string::npos)
      << fast.err;
  EXPECT_EQ(files("cache/revisit"), 0U);
}

}  // namespace
}  // namespace revisit::testing

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Flags of VPR-methods-evaluation one by one: what each must do, must not do, and how it is refused.
#include <cmath>
#include <cstring>
#include <fstream>

#include "core/formats/npy.h"
#include "run_program.h"

namespace revisit::testing {
namespace {

class EvalFlags : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    ASSERT_EQ(run({"synth", "town", "--places", "4", "--size", "72x96", "--seed", "3"}).exit_code, 0);
  }

  RunResult run(const std::vector<std::string>& arguments) {
    RunOptions options;
    options.folder = folder_;
    return run_program(arguments, options);
  }
  RunResult eval(std::vector<std::string> more) {
    more.insert(more.begin(),
                {"eval", "--queries_folder", "town/queries", "--database_folder", "town/database", "--size", "56x70"});
    return run(more);
  }
  /// The folder of the one run under this name.
  std::filesystem::path log(const std::string& name) const {
    const std::filesystem::directory_iterator runs(folder_ / "logs" / name);
    return runs == std::filesystem::directory_iterator() ? std::filesystem::path() : runs->path();
  }
  std::size_t pictures(const std::string& name) const {
    std::size_t count = 0;
    const auto folder = log(name) / "preds";
    if (!std::filesystem::exists(folder)) return 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) count += entry.path().extension() == ".jpg" ? 1 : 0;
    return count;
  }
};

TEST_F(EvalFlags, TheLatencyIsTheForwardWithoutDecodingAndPreprocessing) {
  const auto object = eval({"--json"}).json();
  const double forward = object["ms_per_image"].get<double>(), all = object["end_to_end_ms"].get<double>();
  EXPECT_GT(forward, 0);
  EXPECT_GT(all, forward);
  EXPECT_GT(object["reference_ms_per_image"].get<double>(), 0);
  EXPECT_EQ(object["num_without_positive"], 0);
  for (const auto& [k, recall] : object["recall"].items()) {
    const auto& interval = object["recall_interval95"][k];
    EXPECT_TRUE(interval[0] <= recall && recall <= interval[1]) << k;
  }
}

TEST_F(EvalFlags, ClustersAreMeasuredAlone) {
  const auto result = eval({"--save-descriptors", "--log-dir", "alone", "--recall_values", "1", "2", "--model", "demo"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("R@1 of a cluster alone: the worst"), std::string::npos) << result.err;
  std::ifstream csv(log("alone") / "clusters.csv");
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "cluster,recall_1,recall_2");
  int clusters = 0;
  for (; std::getline(csv, line); ++clusters) EXPECT_EQ(line.find(std::to_string(clusters) + ","), 0U) << line;
  EXPECT_EQ(clusters, 64);
  ASSERT_EQ(eval({"--save-descriptors", "--log-dir", "whitened", "--dim", "4"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(log("whitened") / "clusters.csv")) << "whitening mixes clusters";
}

TEST_F(EvalFlags, WhitenedDescriptorsAreShorterAndCalibrateNoModel) {
  const auto result = eval({"--dim", "5", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.json()["dim"], 5);
  const auto too_many = eval({"--dim", "12"});
  EXPECT_EQ(too_many.exit_code, 2);
  EXPECT_NE(too_many.err.find("at least 13 references, there are 8"), std::string::npos) << too_many.err;
  const auto calibrated = eval({"--dim", "5", "--calibrate", "0.5", "--calibrated-model", "sure.safetensors"});
  EXPECT_EQ(calibrated.exit_code, 2);
  EXPECT_FALSE(exists("sure.safetensors"));
}

TEST_F(EvalFlags, APrecisionOutOfReachIsAnErrorBesideTheEvaluation) {
  picture("q/a.png", 1);
  picture("r/a.png", 1);
  picture("r/b.png", 2);
  text_file("gt.csv", "query,best_ref,accepted_refs\na.png,b.png,b.png\n");  // the most similar one is wrong
  const std::vector<std::string> words{"eval",   "--queries_folder", "q",    "--database_folder", "r", "--gt",
                                       "gt.csv", "--size",           "56x70"};
  auto calibrate = words;
  calibrate.insert(calibrate.end(), {"--calibrate", "--calibrated-model", "sure.safetensors"});
  const auto text = run(calibrate);
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_TRUE(text.out.starts_with("R@1: 0.0")) << text.out;
  EXPECT_NE(text.err.find("revisit: error: no similarity reaches a precision of 0.99"), std::string::npos) << text.err;
  calibrate.emplace_back("--json");
  const auto result = run(calibrate);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.lines(), 1);
  EXPECT_EQ(result.json()["recall"]["1"], 0.0);
  EXPECT_EQ(result.json()["error"]["code"], "failed");
  EXPECT_FALSE(exists("sure.safetensors"));
  auto forgotten = words;
  forgotten.insert(forgotten.end(), {"--calibrated-model", "sure.safetensors"});
  const auto refused = run(forgotten);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--calibrate is missing"), std::string::npos) << refused.err;
}

TEST_F(EvalFlags, DescriptorsAreUnitRowsAndDoNotDependOnTheBatchSize) {
  ASSERT_EQ(eval({"--batch_size", "1", "--save_descriptors", "--log_dir", "one"}).exit_code, 0);
  ASSERT_EQ(eval({"--batch_size", "7", "--save_descriptors", "--log_dir", "seven"}).exit_code, 0);
  for (const auto* name : {"queries_descriptors.npy", "database_descriptors.npy"}) {
    const auto one = read_npy(log("one") / name), seven = read_npy(log("seven") / name);
    EXPECT_EQ(one.dtype, "f4");
    EXPECT_EQ(one.shape[0], std::strcmp(name, "queries_descriptors.npy") == 0 ? 4 : 8);
    EXPECT_EQ(one.data, seven.data);
    const auto values = one.to_f32();
    double length = 0;
    for (std::int64_t i = 0; i < one.shape[1]; ++i) length += std::pow(values[static_cast<std::size_t>(i)], 2);
    EXPECT_NEAR(length, 1, 1e-4);
  }
  EXPECT_EQ(eval({"--batch_size", "0"}).exit_code, 2);
}

TEST_F(EvalFlags, PicturesOfAllOrOfWrongQueries) {
  ASSERT_EQ(eval({"--num_preds_to_save", "2", "--log_dir", "all"}).exit_code, 0);
  EXPECT_EQ(pictures("all"), 4U);
  const auto first = contents(std::filesystem::relative(log("all") / "preds/000.txt", folder_));
  EXPECT_TRUE(first.starts_with("Query path:\ntown/queries/")) << first;
  EXPECT_NE(first.find("\n\nPredictions paths:\ntown/database/"), std::string::npos) << first;
  EXPECT_NE(first.find("\n\nPositives paths:\ntown/database/"), std::string::npos) << first;
  const auto wrong = eval({"--num_preds_to_save", "2", "--save_only_wrong_preds", "--log_dir", "wrong", "--json"});
  ASSERT_EQ(wrong.exit_code, 0) << wrong.err;
  const double right = wrong.json()["recall"]["1"].get<double>() / 100 * 4;
  EXPECT_EQ(pictures("wrong"), 4U - static_cast<std::size_t>(std::lround(right)));
  // Queries that are references are never wrong.
  const auto same = run({"eval", "--queries_folder", "town/database", "--database_folder", "town/database", "--size", "56x70",
                         "--num_preds_to_save", "2", "--save_only_wrong_preds", "--log_dir", "none"});
  ASSERT_EQ(same.exit_code, 0) << same.err;
  EXPECT_EQ(pictures("none"), 0U);
}

TEST_F(EvalFlags, WithoutLabelsThereAreMatchesButNoRecall) {
  const auto result = eval({"--no_labels", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_FALSE(result.json().contains("recall"));
  EXPECT_NE(result.json()["protocol"].get<std::string>().find("no ground truth, as requested"), std::string::npos);
  EXPECT_FALSE(exists("logs")) << "nothing is written unless asked for";
  EXPECT_NE(result.err.find("-o DIR writes the matches"), std::string::npos) << result.err;
  ASSERT_EQ(eval({"--no_labels", "-o", "out"}).exit_code, 0);
  for (const auto* file : {"report.html", "predictions.csv", "run.json"}) EXPECT_TRUE(exists(std::string("out/") + file)) << file;
  EXPECT_FALSE(exists("logs"));
  ASSERT_EQ(eval({"--no_labels", "--log_dir", "mine"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(log("mine") / "predictions.csv"));

  for (const auto* side : {"ref", "query"}) {
    for (int i = 0; i < 2; ++i)
      picture(std::string("sped/") + side + "/" + std::to_string(i) + ".png", static_cast<std::uint32_t>(i + 1));
  }
  const std::vector<std::string> named{"eval", "--dataset", "sped", "--root", "sped", "--size", "56x70", "--json"};
  EXPECT_EQ(run(named).json()["recall"]["1"], 100.0);
  auto without = named;
  without.insert(without.end(), {"--no_labels", "--positive_dist_threshold", "10"});
  const auto plain = run(without);
  EXPECT_FALSE(plain.json().contains("recall")) << plain.out;
  EXPECT_NE(plain.err.find("--positive-dist-threshold 10 is ignored, sped has its own protocol"), std::string::npos) << plain.err;
  auto twice = named;
  twice.insert(twice.end(), {"--gt", "town/gt.csv"});
  EXPECT_EQ(run(twice).exit_code, 2);
}

TEST_F(EvalFlags, TheFieldsNamesFindAnImportedModelOrSayHowToImportIt) {
  const auto missing = eval({"--method", "salad", "--backbone", "Dinov2", "--descriptors_dimension", "8448"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.err.find("revisit model import CHECKPOINT -o models/salad.safetensors"), std::string::npos) << missing.err;
  EXPECT_EQ(eval({"--backbone", "Dinov2"}).exit_code, 2) << "half a name";
  const auto other = eval({"--descriptors_dimension", "999"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("'revisit-tiny' gives descriptors of"), std::string::npos) << other.err;

  // A copy of the embedded model under a well-known name.
  std::filesystem::create_directories(folder_ / "models");
  const auto made = run({"eval", "--queries_folder", "town/database", "--database_folder", "town/database", "--size", "56x70",
                         "--calibrate", "0.5", "--calibrated-model", "models/salad_dinov2.safetensors", "--json"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::string dim = std::to_string(made.json()["dim"].get<int>());
  const auto found = eval({"--method", "salad", "--backbone", "Dinov2", "--descriptors_dimension", dim, "--json"});
  ASSERT_EQ(found.exit_code, 0) << found.err;
  EXPECT_NE(found.json()["model"].get<std::string>().find("salad_dinov2"), std::string::npos) << found.out;
  EXPECT_EQ(eval({"--method", "salad", "--backbone", "Dinov2", "--descriptors_dimension", "7"}).exit_code, 2);
  EXPECT_EQ(eval({"--method", "salad", "--backbone", "Dinov2", "--model", "demo"}).exit_code, 2) << "two models";
}

TEST_F(EvalFlags, WhatACpuHasNoUseForIsAcceptedWithOneNotice) {
  const auto silent = eval({"--device", "cpu"});
  EXPECT_EQ(silent.exit_code, 0);
  EXPECT_EQ(silent.err.find("--device"), std::string::npos) << silent.err;
  const auto result = eval({"--device", "cuda", "--num_workers", "4"});
  EXPECT_EQ(result.exit_code, 0);
  for (const auto* flag : {"--device cuda is ignored", "--num-workers is ignored"}) {
    const auto at = result.err.find(flag);
    EXPECT_NE(at, std::string::npos) << result.err;
    EXPECT_EQ(result.err.find(flag, at + 1), std::string::npos) << "once";
  }
}

}  // namespace
}  // namespace revisit::testing

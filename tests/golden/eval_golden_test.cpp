// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Search and recall against recorded results of the reference code, and one real data set through the program's own path.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "golden.h"
#include "revisit/lab/evaluate.h"

namespace revisit::testing {
namespace {

DescribedPhotos rows_of(const GoldenCase& golden, const std::string& name) {
  DescribedPhotos out;
  out.dim = static_cast<int>(golden.tensor(name).shape[1]);
  out.rows = golden.f32(name);
  return out;
}

TEST(EvalGolden, FindsTheRecordedMatchesAndTheirRecall) {
  REVISIT_REQUIRE_SHARED("golden/eval_recall");
  const GoldenCase golden("eval_recall");
  const auto queries = rows_of(golden, "queries"), references = rows_of(golden, "refs");
  const auto matches = match_all(queries, references, 25);
  std::vector<std::int64_t> found;
  for (const auto& list : matches) {
    for (const auto& match : list) found.push_back(match.row);
  }
  golden.expect_equal("predictions_top25", found);

  Dataset dataset;
  dataset.labelled = true;
  dataset.queries.resize(matches.size());
  dataset.references.resize(references.rows.size() / static_cast<std::size_t>(references.dim));
  std::ifstream in(golden.folder() / "gt.json");
  dataset.positives = nlohmann::json::parse(in).get<std::vector<std::vector<int>>>();
  const auto result = evaluate(dataset, matches, golden.json()["constructor"]["k"].get<std::vector<int>>());
  const auto& wanted = golden.json()["values"]["recall"];
  ASSERT_EQ(result.recall.size(), wanted.size());
  for (const auto& at : result.recall) {
    EXPECT_DOUBLE_EQ(at.percent, 100 * wanted[std::to_string(at.k)].get<double>()) << "recall@" << at.k;
  }
  EXPECT_EQ(result.num_without_positive, 1);
}

// The first `top_k` of every query are those of all distances in double precision; distances within 1e-6 may swap.
void expect_equal_to_full_scan(const DescribedPhotos& queries, const DescribedPhotos& references,
                               const std::vector<std::vector<Match>>& matches, std::size_t top_k) {
  const auto dim = static_cast<std::size_t>(references.dim);
  const auto distance = [&](std::size_t q, std::size_t r) {
    double sum = 0;
    for (std::size_t d = 0; d < dim; ++d) {
      const double difference =
          static_cast<double>(queries.rows[q * dim + d]) - static_cast<double>(references.rows[r * dim + d]);
      sum += difference * difference;
    }
    return std::sqrt(sum);
  };
  for (std::size_t q = 0; q < matches.size(); ++q) {
    std::vector<double> all;
    for (std::size_t r = 0; r < references.rows.size() / dim; ++r) all.push_back(distance(q, r));
    std::ranges::sort(all);
    for (std::size_t rank = 0; rank < top_k; ++rank) {
      ASSERT_NEAR(distance(q, static_cast<std::size_t>(matches[q][rank].row)), all[rank], 1e-6)
          << "query " << q << ", rank " << rank;
    }
  }
}

TEST(EvalGolden, GardensPointByDayIsRecognisedAsOftenAsMeasuredElsewhere) {
  REVISIT_REQUIRE_SHARED("data/gardens_point");
  REVISIT_REQUIRE_SHARED("weights/vit_tiny_patch16_224");
  const auto checkpoint = shared_folder() / "weights/vit_tiny_patch16_224/vit_tiny_patch16_224.safetensors";
  const auto file = std::filesystem::temp_directory_path() / ("revisit_vit_tiny_" + std::to_string(::getpid()) + ".safetensors");
  import_model(checkpoint, file);
  DescriptorSpec options;
  options.aggregate = "cls";
  options.size = Size{224, 224};
  options.orientation = "ignore";
  Extractor extractor(Model::load(file), options);
  std::filesystem::remove(file);

  const auto folder = shared_folder() / "data/gardens_point";
  FolderPair pair{folder / "day_right", folder / "day_left", folder / "gt.csv", {}};
  const Dataset dataset = load_folder_pair(pair);
  const auto queries = describe_photos(extractor, dataset.queries);
  const auto references = describe_photos(extractor, dataset.references);
  EXPECT_TRUE(queries.skipped.empty() && references.skipped.empty());
  const auto matches = match_all(queries, references, 20);
  expect_equal_to_full_scan(queries, references, matches, 10);
  const auto result = evaluate(dataset, matches, {1, 20});
  EXPECT_EQ(result.num_queries, 200);
  EXPECT_NEAR(result.recall[0].percent, 82.5, 1.5) << "three queries";
  EXPECT_LE(result.recall[0].low95, result.recall[0].percent);
  EXPECT_GE(result.recall[0].high95, result.recall[0].percent);
}

}  // namespace
}  // namespace revisit::testing

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Recorded .npy and .mat files value by value, and real sets of photos with the ground truth that came with them.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "lab/dataset/dbstruct.h"
#include "lab/dataset/near.h"
#include "lab/dataset/npy_lists.h"
#include "test_files.h"
#include "golden.h"
#include "revisit/lab/dataset.h"

namespace revisit::dataset {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

Json expected_of(const fs::path& folder) { return Json::parse(std::ifstream(folder / "expected.json")); }

// Compares one recorded file with what the reader of its kind gives; returns the kind.
std::string check_npy(const fs::path& file, const Json& expected) {
  const std::string dtype = expected.at("dtype");
  const auto& content = expected.at("content");
  const auto rank = expected.at("shape").size();
  if (dtype.find('U') != std::string::npos || dtype.find('S') != std::string::npos) {
    EXPECT_EQ(Json(read_npy_texts(file)), content) << file;
    return "texts";
  }
  if (dtype.find('f') != std::string::npos) {
    testing::expect_error([&] { read_npy_lists(file); }, ErrorCode::kBadFile, rank == 2 ? "not integers" : "dimensions");
    testing::expect_error([&] { read_npy_integers(file); }, ErrorCode::kBadFile, rank == 1 ? "not integers" : "dimensions");
    return "refused";
  }
  if (dtype == "object" || rank == 2) {
    EXPECT_EQ(Json(read_npy_lists(file)), content) << file;
    return "lists";
  }
  std::vector<std::int64_t> wanted;
  for (const auto& value : content)
    wanted.push_back(value.is_boolean() ? static_cast<std::int64_t>(value.get<bool>()) : value.get<std::int64_t>());
  EXPECT_EQ(read_npy_integers(file), wanted) << file;
  return "integers";
}

TEST(GoldenNpy, EveryValueOfEveryFile) {
  REVISIT_REQUIRE_SHARED("golden/npy_datasets");
  const auto folder = testing::shared_folder() / "golden" / "npy_datasets";
  std::map<std::string, int> counts;
  const Json all = expected_of(folder);
  for (const auto& [name, expected] : all.items()) ++counts[check_npy(folder / name, expected)];
  EXPECT_GE(counts["texts"], 4);
  EXPECT_GE(counts["lists"], 12);
  EXPECT_GE(counts["integers"], 2);
}

std::vector<double> doubles_of(const NpyArray& array) {
  EXPECT_EQ(array.dtype, "f8");
  std::vector<double> out(array.data.size() / sizeof(double));
  std::memcpy(out.data(), array.data.data(), array.data.size());
  return out;
}

void expect_places(const std::vector<Position>& found, const NpyArray& wanted) {
  const auto values = doubles_of(wanted);
  ASSERT_EQ(values.size(), 2 * found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].east_m, values[2 * i]);
    EXPECT_EQ(found[i].north_m, values[2 * i + 1]);
  }
}

TEST(GoldenMat, EveryFieldOfBothFiles) {
  REVISIT_REQUIRE_SHARED("golden/mat_dbstruct");
  const testing::GoldenCase golden("mat_dbstruct");
  const Json expected = expected_of(golden.folder());
  int files = 0;
  for (const auto& entry : fs::directory_iterator(golden.folder())) {
    if (entry.path().extension() != ".mat") continue;
    ++files;
    const DbStruct found = parse_dbstruct(read_file(entry.path(), 1'000'000), entry.path().string());
    EXPECT_EQ(Json(found.references), expected["dbImage"]);
    EXPECT_EQ(Json(found.queries), expected["qImage"]);
    expect_places(found.reference_places, golden.tensor("utmDb"));
    expect_places(found.query_places, golden.tensor("utmQ"));
    EXPECT_EQ(found.threshold_m, expected["scalars"]["posDistThr"].get<double>());
    std::vector<Photo> queries(found.queries.size()), references(found.references.size());
    for (std::size_t i = 0; i < queries.size(); ++i) queries[i].position = found.query_places[i];
    for (std::size_t i = 0; i < references.size(); ++i) references[i].position = found.reference_places[i];
    EXPECT_EQ(Json(positives_within(queries, references, found.threshold_m, Metric::kPlane)), expected["positives_within_25m"]);
  }
  EXPECT_EQ(files, 2);
}

// Positives as the set's description has them: frames of the same number, give or take `tolerance`.
void expect_frames(const Dataset& set, std::size_t count, int tolerance) {
  ASSERT_EQ(set.queries.size(), count);
  ASSERT_EQ(set.references.size(), count);
  ASSERT_EQ(set.positives.size(), count);
  EXPECT_TRUE(set.labelled);
  EXPECT_EQ(set.without_positive(), 0);
  EXPECT_TRUE(set.notes.empty());
  for (int q = 0; q < static_cast<int>(count); ++q) {
    std::vector<int> wanted;
    for (int r = std::max(0, q - tolerance); r <= std::min(static_cast<int>(count) - 1, q + tolerance); ++r) wanted.push_back(r);
    ASSERT_EQ(set.positives[static_cast<std::size_t>(q)], wanted) << q;
  }
}

Dataset load(const std::string& set, const std::string& queries, const std::string& references) {
  const auto folder = testing::shared_folder() / "data" / set;
  return load_folder_pair(
      {.queries = folder / queries, .references = folder / references, .gt = folder / "gt.csv", .positions = {}});
}

TEST(RealSets, GardensPointHasTwoFramesEitherWay) {
  REVISIT_REQUIRE_SHARED("data/gardens_point");
  expect_frames(load("gardens_point", "day_right", "day_left"), 200, 2);
  expect_frames(load("gardens_point", "night_right", "day_left"), 200, 2);
  expect_frames(load("gardens_point", "night_right", "day_right"), 200, 2);
}

TEST(RealSets, SpedIsPairsByGtCsvAndByName) {
  REVISIT_REQUIRE_SHARED("data/sped607");
  expect_frames(load("sped607", "query", "ref"), 607, 0);
  expect_frames(load_named("sped", testing::shared_folder() / "data" / "sped607"), 607, 0);
}

TEST(RealSets, NordlandHasOneFrameEitherWay) {
  REVISIT_REQUIRE_SHARED("data/nordland1622");
  expect_frames(load("nordland1622", "winter", "summer"), 1622, 1);
  expect_frames(load_named("nordland_3450", testing::shared_folder() / "data" / "nordland1622"), 1622, 2);
}

TEST(RealSets, StLuciaHasItsCountsAndNoQueryWithoutPositive) {
  REVISIT_REQUIRE_SHARED("data/stlucia");
  const Dataset set = load("stlucia", "query_1410", "ref_0845");
  EXPECT_EQ(set.queries.size(), 1316U);
  EXPECT_EQ(set.references.size(), 1261U);
  EXPECT_EQ(set.without_positive(), 0);
  for (const auto& list : set.positives) {
    EXPECT_LE(list.size(), 21U);
    EXPECT_TRUE(std::ranges::is_sorted(list));
  }
}

TEST(RealSets, TmbudHasACameraForEveryPhoto) {
  REVISIT_REQUIRE_SHARED("data/tmbud");
  const auto folder = testing::shared_folder() / "data" / "tmbud";
  const Dataset set = load_folder_pair({.queries = folder,
                                        .references = folder,
                                        .gt = {},
                                        .positions = folder / "positions.csv",
                                        .positive_dist_threshold_m = 30});
  EXPECT_EQ(set.queries.size(), 964U);
  EXPECT_TRUE(set.labelled);
  for (std::size_t q = 0; q < set.queries.size(); ++q) {
    ASSERT_TRUE(set.queries[q].position);
    ASSERT_TRUE(std::ranges::binary_search(set.positives[q], static_cast<int>(q)));
    for (const int r : set.positives[q])
      EXPECT_LE(distance_m(*set.queries[q].position, *set.references[static_cast<std::size_t>(r)].position), 30);
  }
}

}  // namespace
}  // namespace revisit::dataset

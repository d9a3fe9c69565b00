// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A few kilobytes of table may ask for terabytes: the total is bounded, not only each line.
#include "lab/report/read_tables.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace revisit::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPhotosHead = "role,name,path,east_m,north_m,lat_deg,lon_deg,part,positives,matches\n";
constexpr const char* kPredictionsHead = "query,rank,reference,distance,similarity\n";

class ReadTables : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("revisit_read_tables_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write("run.json", R"({"schema":1,"rho":1,"reference_rho":1,"ms_per_image":0,"end_to_end_ms":0,"recall":{"1":0}})");
    write("predictions.csv", kPredictionsHead);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const char* file, const std::string& text) { std::ofstream(folder_ / file, std::ios::binary) << text; }

  /// The message of the Error kLimit that a reader throws; empty when it throws nothing.
  template <typename Reader>
  static std::string limit(const Reader& read) {
    try {
      read();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kLimit) << error.what();
      return error.what();
    }
    return {};
  }

  std::string whole_run() {
    return limit([&] { read_run(folder_ / "run.json"); });
  }

  static std::string lines(int count, const std::string& line) {
    std::string out;
    for (int i = 0; i < count; ++i) out += line;
    return out;
  }

  fs::path folder_;
};

TEST_F(ReadTables, PositivesAreBoundedInAll) {
  const auto table = [&](const std::string& last) {
    write("photos.csv", kPhotosHead + lines(4'000, "query,q,q,,,,,,0-4999,\n") + "query,last,q,,,,,," + last + ",\n" +
                            lines(5'000, "reference,r,r,,,,,,,\n"));
  };
  ASSERT_EQ(limits::kMaxPositives, 4'000U * 5'000U);
  table("");
  EXPECT_EQ(whole_run(), "");
  table("7");
  EXPECT_NE(whole_run().find("photos.csv' lists more than 20000000 positives in all, the last of them of query last"),
            std::string::npos);
}

TEST_F(ReadTables, PhotosAreBoundedQueriesAndReferencesTogether) {
  write("photos.csv", kPhotosHead + lines(2, "query,q,q,,,,,,,\n") + lines(3, "reference,r,r,,,,,,,\n"));
  const auto with = [&](std::uint64_t photos) {
    return limit([&] {
      RunReport report;
      read_tables(folder_, report, {photos});
      EXPECT_EQ(report.dataset.references.size(), 3U);
    });
  };
  EXPECT_EQ(with(6), "");
  EXPECT_EQ(with(5), "");
  EXPECT_NE(with(4).find("photos.csv' lists more than 4 photos"), std::string::npos);
  EXPECT_EQ(TableLimits{}.photos, limits::kMaxListed);
}

TEST_F(ReadTables, PartsAreBoundedAndFoundAgain) {
  for (const std::size_t more : {0U, 1U}) {
    std::string table = kPhotosHead + std::string("query,q,q,,,,,part0,,\n");
    for (std::size_t i = 0; i < limits::kMaxParts + more; ++i)
      table += lines(2, "reference,r,r,,,,,part" + std::to_string(i) + ",,\n");
    write("photos.csv", table);
    const auto sentence = whole_run();
    EXPECT_EQ(sentence.empty(), more == 0) << sentence;
    EXPECT_EQ(sentence.ends_with("names more than 1000 parts"), more == 1) << sentence;
  }
  write("photos.csv", kPhotosHead + std::string("query,q,q,,,,,b,,\nreference,r,r,,,,,a,,\nreference,r,r,,,,,b,,\n"));
  RunReport report;
  read_tables(folder_, report);
  EXPECT_EQ(report.dataset.parts, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(report.dataset.reference_parts, (std::vector<int>{1, 0}));
}

TEST_F(ReadTables, MatchesOfAQueryAreBounded) {
  std::string rows = "0", predictions = kPredictionsHead;
  for (int i = 1; i <= limits::kMaxTopK + 1; ++i) predictions += "q," + std::to_string(i) + ",r,0,1\n";
  for (int i = 1; i < limits::kMaxTopK; ++i) rows += "|0";
  const auto refusal = [&](const std::string& list) {
    write("photos.csv", kPhotosHead + ("query,q,q,,,,,,," + list + "\n") + "reference,r,r,,,,,,,\n");
    return whole_run();
  };
  write("predictions.csv", predictions);
  EXPECT_NE(refusal(rows + "|0").find("more than 1000 matches of query q"), std::string::npos);
  write("predictions.csv", predictions.substr(0, predictions.find("q,1001,")));
  EXPECT_EQ(refusal(rows), "");
}

}  // namespace
}  // namespace revisit::report

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Every version ever written stays readable: tests/data/index_vN is never changed (tests/data/README.md).
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "index_fixtures.h"
#include "index_sql.h"
#include "revisit/index.h"

namespace revisit {
namespace {

using testing::add_rows;
using testing::expect_error;
using testing::expect_whole_rows;
using testing::number_of;
using testing::problems_of;
using testing::read_bytes;
using testing::row_content;
using testing::row_entry;
using testing::row_name;
using testing::settings_of;
using testing::sql;
using testing::TemporaryFolder;

constexpr int kKeptDim = 16;
constexpr int kKeptRows = 7;
constexpr const char* kVersionQuery = "PRAGMA user_version";

/// A copy of a kept index, or an empty folder.
class KeptIndex {
 public:
  explicit KeptIndex(const std::string& name = "") {
    if (name.empty()) return;
    // Tests run in the source folder.
    std::filesystem::copy("tests/data/" + name, folder_.path(), std::filesystem::copy_options::recursive);
  }
  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  TemporaryFolder folder_;
};

/// Every answer as text, with numbers to the last bit.
std::string answers_of(const Index& index) {
  std::string out;
  const auto bits = [&](double value) { out.append(reinterpret_cast<const char*>(&value), sizeof(value)); };
  for (int row = 0; row < kKeptRows; ++row) {
    const IndexEntry entry = index.entry(row);
    out +=
        entry.name + "|" + entry.path + "|" + std::to_string(entry.content_hash) + (index.is_live(row) ? "|live" : "|replaced");
    out += "|" + std::to_string(index.find(entry.name).value_or(-1));
    if (entry.position) bits(entry.position->east_m), bits(entry.position->north_m);
    if (entry.position && entry.position->geographic) bits(entry.position->geographic->lat_deg);
    if (entry.position && entry.position->geographic) bits(entry.position->geographic->lon_deg);
    bits(entry.position ? entry.position->heading_deg.value_or(-1) : -2);
    bits(entry.time_s.value_or(-1));
  }
  std::vector<SearchOptions> kinds(4);
  kinds[1].mode = SearchOptions::Mode::kFast;
  kinds[2].after_s = 1.0;
  kinds[3].near = Position{500'000, 5'340'000, LatLon{48.25, 9}, std::nullopt};
  kinds[3].radius_m = 1000;
  for (SearchOptions& options : kinds) {
    options.end_row = kKeptRows;
    for (int number = 0; number <= kKeptRows; ++number) {
      const auto found = index.search(row_content(number, kKeptDim), options);
      for (const Match& match : found[0]) {
        out += ">" + std::to_string(match.row);
        bits(match.distance), bits(match.similarity);
      }
    }
  }
  return out;
}

TEST(IndexCompatibility, VersionOneReadsAsItWasWritten) {
  const KeptIndex folder("index_v1");
  EXPECT_EQ(problems_of(folder.path()), "");
  const Index index = Index::open(folder.path());
  expect_whole_rows(index, kKeptRows);
  EXPECT_EQ(index.live_rows(), 6);
  EXPECT_FALSE(index.is_live(4));
  EXPECT_EQ(index.settings().model, "models/a.safetensors");
  EXPECT_EQ(index.settings().spec.size, (Size{322, 322}));
  EXPECT_FALSE(index.settings().spec.model_identity) << "format 1 knows the weights alone";
  EXPECT_EQ(index.settings().model_constants.at("fingerprint"), "f00d");
  EXPECT_EQ(index.entry(2).position->geographic->lat_deg, 48.25);
  EXPECT_EQ(index.entry(2).position->heading_deg, 90.5);
  EXPECT_EQ(index.find(row_name(5)), 5);
  EXPECT_FALSE(index.find(row_name(4)));
  EXPECT_EQ(index.search(row_content(3, kKeptDim), {})[0][0].row, 3);
  SearchOptions near;
  near.near = Position{0, 0, LatLon{48.25, 9}, std::nullopt};
  near.radius_m = 1;
  EXPECT_EQ(index.search(row_content(3, kKeptDim), near)[0].size(), 1U);
  EXPECT_EQ(number_of(folder.path(), kVersionQuery), 1) << "reading changes nothing";
}

TEST(IndexCompatibility, VersionOneIsReadInAFolderThatCannotBeWritten) {
  const KeptIndex folder("index_v1");
  const std::string wanted = answers_of(Index::open(folder.path()));
  EXPECT_TRUE(testing::holds_read_only(
      folder.path(), [&] { return answers_of(Index::open(folder.path())) == wanted && verify_index(folder.path()).empty(); }));
  EXPECT_EQ(number_of(folder.path(), kVersionQuery), 1);
}

TEST(IndexCompatibility, VersionOneBecomesVersionTwoWithTheNextWriterAndAnswersAsBefore) {
  const KeptIndex folder("index_v1");
  const std::string vectors = read_bytes(folder / "vectors.bin");
  const std::string codes = read_bytes(folder / "codes.i8");
  Index view = Index::open(folder.path());
  const std::string wanted = answers_of(view);
  IndexWriter::open(folder.path(), settings_of(kKeptDim));
  EXPECT_EQ(number_of(folder.path(), kVersionQuery), 2) << "also when nothing is added";
  EXPECT_EQ(read_bytes(folder / "vectors.bin"), vectors);
  EXPECT_EQ(read_bytes(folder / "codes.i8"), codes);
  EXPECT_EQ(answers_of(view), wanted) << "a view that was open meanwhile";
  EXPECT_EQ(answers_of(Index::open(folder.path())), wanted);
  EXPECT_EQ(problems_of(folder.path()), "");

  add_rows(folder.path(), kKeptRows, 9, kKeptDim);
  EXPECT_EQ(view.refresh(), 2);
  expect_whole_rows(view, 9);
  EXPECT_EQ(answers_of(view), wanted);
  EXPECT_TRUE(read_bytes(folder / "vectors.bin").starts_with(vectors));
  EXPECT_TRUE(read_bytes(folder / "codes.i8").starts_with(codes));
  EXPECT_EQ(problems_of(folder.path()), "");
  sql(folder.path(), "UPDATE photos SET lat_deg = 32.25 WHERE row = 2");
  expect_error([&] { view.entry(2); }, ErrorCode::kBadFile, "the line of row 2 ('photos/2.jpg') was changed on disk");
  EXPECT_NE(problems_of(folder.path()).find("the line of row 2"), std::string::npos);
}

TEST(IndexCompatibility, AWriterThatIsRefusedLeavesVersionOneAsItIs) {
  const KeptIndex folder("index_v1");
  IndexSettings other = settings_of(kKeptDim);
  other.model_constants["fingerprint"] = "beef";
  expect_error([&] { IndexWriter::open(folder.path(), other); }, ErrorCode::kMismatch, "beef");
  EXPECT_EQ(number_of(folder.path(), kVersionQuery), 1);
  sql(folder.path(), "UPDATE photos SET time_s = 'noon' WHERE row = 3");
  expect_error([&] { IndexWriter::open(folder.path(), settings_of(kKeptDim)); }, ErrorCode::kBadFile,
               "time_s of row 3 is not a number");
  EXPECT_EQ(number_of(folder.path(), kVersionQuery), 1);
  EXPECT_EQ(number_of(folder.path(), "SELECT count(*) FROM pragma_table_info('photos') WHERE name = 'seal'"), 0);
  EXPECT_EQ(Index::open(folder.path()).entry(2).name, row_name(2));
}

TEST(IndexCompatibility, VersionOneAndTwoAreMergedEitherWay) {
  const auto merge = [](const std::filesystem::path& into, const std::filesystem::path& from) {
    IndexWriter writer = IndexWriter::open(into, settings_of(kKeptDim));
    return merge_index(writer, Index::open(from), "other").added;
  };
  const TemporaryFolder two;
  add_rows(two.path(), 100, 103, kKeptDim);
  const KeptIndex from("index_v1");
  EXPECT_EQ(merge(two.path(), from.path()), 6);
  EXPECT_EQ(number_of(from.path(), kVersionQuery), 1) << "what is merged stays as it is";
  EXPECT_EQ(problems_of(two.path()), "");
  const Index merged = Index::open(two.path());
  EXPECT_EQ(merged.entry(*merged.find(row_name(2))).position->geographic->lat_deg, 48.25);

  const TemporaryFolder more;
  add_rows(more.path(), 100, 103, kKeptDim);
  const KeptIndex one("index_v1");
  EXPECT_EQ(merge(one.path(), more.path()), 3);
  EXPECT_EQ(number_of(one.path(), kVersionQuery), 2);
  EXPECT_EQ(problems_of(one.path()), "");
  EXPECT_EQ(Index::open(one.path()).live_rows(), 9);
}

/// What tests/data/index_v2 was made of.
void make_version_two(const std::filesystem::path& folder) {
  IndexWriter writer = IndexWriter::open(folder, settings_of(kKeptDim));
  const auto add = [&](const IndexEntry& entry, int content) { writer.add(entry, row_content(content, kKeptDim), true); };
  add(row_entry(0), 0);
  add({"Stra\xc3\x9f"
       "e/1.jpg",
       "somewhere/1.jpg", 0xfedcba9876543210, Position{-0.25, 1e6, std::nullopt, std::nullopt}, -0.0},
      1);
  add({"2", "", 0, Position{500'000, 5'340'000, LatLon{48.25, 9}, 90.5}, 1.25e9}, 2);
  add({"\xff\xfe", std::string(4096, 'x'), 1, std::nullopt, std::nullopt}, 3);
  add(row_entry(4), 4);
  writer.commit();
  writer.place(row_name(0), Position{0, -0.0, LatLon{-33.5, 151.25}, std::nullopt}, 3.5);
  add(row_entry(5), 5);
  add(row_entry(4), 6);
  writer.commit();
}

TEST(IndexCompatibility, VersionTwoReadsAsItWasWritten) {
  const KeptIndex kept("index_v2");
  const TemporaryFolder made;
  make_version_two(made.path());
  EXPECT_EQ(problems_of(kept.path()), "");
  Index index = Index::open(kept.path());
  ASSERT_EQ(index.rows(), kKeptRows);
  EXPECT_EQ(answers_of(index), answers_of(Index::open(made.path())));
  EXPECT_FALSE(index.is_live(4));
  EXPECT_EQ(index.find(row_name(4)), 6);
  EXPECT_EQ(index.entry(1).name,
            "Stra\xc3\x9f"
            "e/1.jpg");
  EXPECT_EQ(index.entry(2).position->geographic->lat_deg, 48.25);
  EXPECT_EQ(number_of(kept.path(), "SELECT seal FROM photos WHERE row = 2"), 5593895305699890579);
  const auto after_identity = [](const std::filesystem::path& file) { return read_bytes(file).substr(64); };
  for (const char* name : {"vectors.bin", "codes.i8"}) EXPECT_EQ(after_identity(kept / name), after_identity(made / name));
  add_rows(kept.path(), kKeptRows, 9, kKeptDim);
  EXPECT_EQ(index.refresh(), 2);
  EXPECT_EQ(problems_of(kept.path()), "");
  sql(kept.path(), "UPDATE photos SET lat_deg = 32.25 WHERE row = 2");
  expect_error([&] { index.entry(2); }, ErrorCode::kBadFile, "the line of row 2 ('2') was changed on disk");
}

}  // namespace
}  // namespace revisit

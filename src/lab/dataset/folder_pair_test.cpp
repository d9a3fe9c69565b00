// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Two folders with every source of ground truth, in their order.
#include <gtest/gtest.h>

#include <algorithm>

#include "revisit/lab/dataset.h"
#include "exif_fixtures.h"
#include "test_files.h"

namespace revisit {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;
using Lists = std::vector<std::vector<int>>;

bool has_note(const Dataset& set, const std::string& part) {
  return std::ranges::any_of(set.notes, [&](const auto& note) { return note.find(part) != std::string::npos; });
}

struct TwoFolders : ::testing::Test {
  TwoFolders() {
    for (const auto* name : {"q/0.jpg", "q/1.jpg", "r/a.jpg", "r/b.jpg", "r/sub/c.jpg"}) folder.write(name);
  }
  FolderPair pair() const { return {.queries = folder / "q", .references = folder / "r", .gt = {}, .positions = {}}; }
  TemporaryFolder folder;
};

TEST_F(TwoFolders, AreUnlabelledWithoutAnyGroundTruth) {
  const Dataset set = load_folder_pair(pair());
  EXPECT_FALSE(set.labelled);
  EXPECT_TRUE(set.positives.empty());
  EXPECT_EQ(set.without_positive(), 0);
  EXPECT_NE(set.protocol.find("no ground truth found"), std::string::npos);
  EXPECT_TRUE(has_note(set, "neither a gt or positions file"));
}

TEST_F(TwoFolders, TakeAcceptedReferencesFromGtCsv) {
  auto both = pair();
  both.gt = folder.write("gt.csv", "query,best_ref,accepted_refs\n0.jpg,b.jpg,sub/c.jpg|a.jpg|a.jpg\n1.jpg,,\n");
  const Dataset set = load_folder_pair(both);
  EXPECT_TRUE(set.labelled);
  EXPECT_EQ(set.positives, (Lists{{0, 1, 2}, {}}));
  EXPECT_EQ(set.without_positive(), 1);
  EXPECT_EQ(set.protocol, "2 queries of folder 'q' against 3 references of folder 'r'; accepted references from 'gt.csv'");
  EXPECT_TRUE(set.notes.empty());
}

TEST_F(TwoFolders, NoteQueriesThatGtCsvDoesNotList) {
  auto both = pair();
  both.gt = folder.write("gt.csv", "query,accepted_refs\n./1.jpg,a.jpg\n");
  const Dataset set = load_folder_pair(both);
  EXPECT_EQ(set.positives, (Lists{{}, {0}}));
  EXPECT_TRUE(has_note(set, "no row for 1 of 2 queries, such as '0.jpg'"));
}

TEST_F(TwoFolders, RefuseGtCsvThatNamesOtherPhotos) {
  auto both = pair();
  const auto refused = [&](const std::string& text, const std::string& part) {
    both.gt = folder.write("gt.csv", text);
    expect_error([&] { load_folder_pair(both); }, ErrorCode::kBadFile, part);
  };
  refused("query,accepted_refs\n0.jpg,a.jpg\nx.jpg,a.jpg\n",
          "gt.csv', line 3: the query 'x.jpg' is not in the folder of queries");
  refused("query,accepted_refs\n0.jpg,a.jpg|z.jpg\n", "line 2: the reference 'z.jpg' is not in the folder of references");
  refused("query,best_ref,accepted_refs\n0.jpg,\x1b[31m,a.jpg\n", "'?[31m'");
  refused("query,accepted_refs\n0.jpg,a.jpg\n0.jpg,b.jpg\n", "line 3: the query '0.jpg' was already on line 2");
  refused("query,other\n", "has no column 'accepted_refs'");
  refused("query;accepted_refs\n", "has no column 'query'");
}

TEST_F(TwoFolders, TakePositionsFromCsvByNameOrFolderAndName) {
  auto both = pair();
  both.positions = folder.write("p.csv",
                                "image,lat,lon,heading_deg,time\nq/0.jpg,48,2,-90,1970-01-01T00:01:00Z\n1.jpg,48.1,2,,\n"
                                "a.jpg,48.0002,2,,\nr/b.jpg,48.0003,2,,\nsub/c.jpg,,,,\nelsewhere.jpg,1,1,,\n");
  const Dataset set = load_folder_pair(both);
  EXPECT_EQ(set.positives, (Lists{{0}, {}}));  // 22 m and 33 m
  EXPECT_DOUBLE_EQ(set.queries[0].position->heading_deg.value(), 270);
  EXPECT_DOUBLE_EQ(set.queries[0].time_s.value(), 60);
  EXPECT_NE(set.protocol.find("within 25 m of the query is right (positions from 'p.csv', distances on the ellipsoid)"),
            std::string::npos)
      << set.protocol;
  EXPECT_TRUE(has_note(set, "2 of 2 queries and 2 of 3 references"));
  EXPECT_TRUE(has_note(set, "1 row for photos that are in neither folder"));
  both.positive_dist_threshold_m = 35;
  EXPECT_EQ(load_folder_pair(both).positives, (Lists{{0, 1}, {}}));
}

TEST_F(TwoFolders, TakeMetresOfAnyPlane) {
  auto both = pair();
  both.positions = folder.write("p.csv", "image,east,north\n0.jpg,0,0\n1.jpg,100,0\na.jpg,3,4\nb.jpg,100,25\n");
  const Dataset set = load_folder_pair(both);
  EXPECT_EQ(set.positives, (Lists{{0}, {1}}));
  EXPECT_NE(set.protocol.find("distances on the plane"), std::string::npos);
}

TEST_F(TwoFolders, TakePositionsFromGeoJson) {
  auto both = pair();
  both.positions = folder.write("p.geojson", R"({"type":"FeatureCollection","features":[
      {"type":"Feature","geometry":{"type":"Point","coordinates":[2,48,120]},"properties":{"image":"0.jpg","heading_deg":10,"time":5}},
      {"type":"Feature","geometry":{"type":"Point","coordinates":[2.0001,48]},"properties":{"name":"a.jpg","time":"1970-01-02"}},
      {"type":"Feature","geometry":{"type":"LineString","coordinates":[[2,48],[3,48]]},"properties":{}},
      {"type":"Feature","geometry":null,"properties":{"image":"b.jpg","time":7}},
      {"type":"Feature","geometry":null,"properties":null}]})");
  const Dataset set = load_folder_pair(both);
  EXPECT_EQ(set.positives, (Lists{{0}, {}}));
  EXPECT_FALSE(set.references[1].position);
  EXPECT_DOUBLE_EQ(set.references[1].time_s.value(), 7) << "a photo without a place is a photo all the same";
  EXPECT_DOUBLE_EQ(set.references[0].time_s.value(), 86400);
  EXPECT_TRUE(has_note(set, "skipped 2 features that are not points"));
}

TEST_F(TwoFolders, SayWhenPositionsBelongToOtherPhotos) {
  auto both = pair();
  both.positions = folder.write("p.csv", "image,lat,lon\n0.jpg,1,1\n");
  expect_error([&] { load_folder_pair(both); }, ErrorCode::kMismatch, "no position for any of the 3 references");
}

TEST_F(TwoFolders, RefuseRowsWithoutASensiblePlace) {
  auto both = pair();
  const auto refused = [&](const std::string& text, const std::string& part) {
    both.positions = folder.write("p.csv", text);
    expect_error([&] { load_folder_pair(both); }, ErrorCode::kBadFile, part);
  };
  refused("image,lat,lon\n0.jpg,91,0\n", "p.csv', line 2: latitude 91, longitude 0 is off the globe");
  refused("image,lat,lon\n0.jpg,=1+1,0\n", "the latitude '=1+1' is not a number");
  refused("image,lat,lon\n0.jpg,1,\n", "the longitude '' is not a number");
  refused("image,lat,lon\n0.jpg,nan,0\n", "is not a number");
  refused("image,east,north\n0.jpg,1e9,0\n", "away from the origin");
  refused("image,lat,lon,heading_deg\n0.jpg,1,1,361\n", "heading 361");
  refused("image,lat,lon,time\n0.jpg,1,1,noon\n", "the time 'noon'");
  refused("image,lat,lon\n0.jpg,1,1\n./0.jpg,1,1\n", "line 3: the photo './0.jpg' was already on line 2");
  refused("image,lat,lon\n,1,1\n", "name of the photo is empty");
  refused("image,lat\n", "neither the columns lat and lon nor east and north");
}

TEST(FolderPairs, TakeMetresFromNames) {
  const TemporaryFolder folder;
  for (const auto* name : {"q/@0@0@.jpg", "r/@0@25@.jpg", "r/@0@26@.jpg", "r/plain.jpg"}) folder.write(name);
  const Dataset set = load_folder_pair({.queries = folder / "q", .references = folder / "r", .gt = {}, .positions = {}});
  EXPECT_EQ(set.positives, (Lists{{0}}));
  EXPECT_TRUE(has_note(set, "1 of 1 queries and 2 of 3 references"));
  const Dataset unlabelled =
      load_folder_pair({.queries = folder / "q", .references = folder / "r", .gt = {}, .positions = {}, .no_labels = true});
  EXPECT_FALSE(unlabelled.labelled);
  EXPECT_TRUE(unlabelled.queries[0].position);
}

TEST(FolderPairs, NoteRowsThatServePhotosOfBothFolders) {
  const TemporaryFolder folder;
  for (const auto* name : {"q/0.jpg", "r/0.jpg"}) folder.write(name);
  const auto file = folder.write("p.csv", "image,lat,lon\n0.jpg,1,1\n");
  EXPECT_TRUE(has_note(load_folder_pair({.queries = folder / "q", .references = folder / "r", .gt = {}, .positions = file}),
                       "with the same name in both folders"));
  EXPECT_FALSE(has_note(load_folder_pair({.queries = folder / "q", .references = folder / "q", .gt = {}, .positions = file}),
                        "with the same name"));
}

std::string jpeg_at(std::uint32_t lat, std::uint32_t lon) {
  testing::ExifWriter writer;
  writer.position({{lat, 1}, {30, 1}, {0, 1}}, "N", {{lon, 1}, {0, 1}, {0, 1}}, "E");
  const auto payload = testing::join({testing::to_bytes(std::string_view("Exif\0\0", 6)), writer.build()});
  const auto bytes = testing::make_jpeg(testing::slopes(16, 16, 3), {.markers = {{0xE1, payload}}});
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(FolderPair, IsLabelledByExifWhenNothingElseDoes) {
  const TemporaryFolder folder;
  folder.write("q/0.jpg", jpeg_at(48, 2));
  folder.write("r/0.jpg", jpeg_at(48, 3));
  folder.write("r/1.jpg", jpeg_at(48, 2));
  folder.write("r/2.jpg", "no picture");
  const Dataset set = load_folder_pair({.queries = folder / "q", .references = folder / "r", .gt = {}, .positions = {}});
  EXPECT_EQ(set.positives, (std::vector<std::vector<int>>{{1}}));
  EXPECT_NE(set.protocol.find("EXIF GPS"), std::string::npos);
}

}  // namespace
}  // namespace revisit

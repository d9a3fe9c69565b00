// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A small version of every named set, in every layout.
#include <gtest/gtest.h>

#include <algorithm>

#include "revisit/lab/dataset.h"
#include "test_files.h"
#include "lab/dataset/test_mat.h"

namespace revisit {
namespace {

using testing::expect_error;
using testing::names_of;
using testing::npy_integers;
using testing::npy_texts;
using testing::TemporaryFolder;
using Lists = std::vector<std::vector<int>>;

void write_frames(const TemporaryFolder& folder, const std::string& name, int count) {
  for (int i = 0; i < count; ++i) folder.write(name + "/" + std::to_string(1000 + i) + ".jpg");
}

TEST(NamedSets, AreTwelveAndUnknownNamesAreRefusedWithTheList) {
  EXPECT_EQ(named_datasets().size(), 12U);
  const Error error = testing::thrown_by([] { load_named("nordlnd", "."); });
  EXPECT_EQ(error.code(), ErrorCode::kUsage);
  EXPECT_NE(error.hint().find("nordland_3450"), std::string::npos);
}

TEST(NamedSets, NameTheFirstMissingPathAndTheLayoutsExpected) {
  const TemporaryFolder folder;
  for (const auto& name : named_datasets()) {
    const Error error = testing::thrown_by([&] { load_named(name, folder.path()); });
    EXPECT_EQ(error.code(), ErrorCode::kNotFound) << error.what();
    EXPECT_NE(std::string(error.what()).find(folder.path().string() + "/"), std::string::npos) << error.what();
    EXPECT_NE(error.hint().find(name + " is expected below"), std::string::npos) << error.hint();
  }
  expect_error([&] { load_named("sped", folder / "none"); }, ErrorCode::kNotFound, "none' does not exist");
}

TEST(NamedSets, SpedFromListsOfSalad) {
  const TemporaryFolder folder;
  for (const auto* name : {"SPED/ref/0.jpg", "SPED/ref/1.jpg", "SPED/query/0.jpg", "SPED/query/1.jpg"}) folder.write(name);
  folder.write("datasets/SPED/SPED_dbImages.npy", npy_texts({"ref/0.jpg", "ref/1.jpg"}));
  folder.write("datasets/SPED/SPED_qImages.npy", npy_texts({"query/0.jpg", "query/1.jpg"}));
  folder.write("datasets/SPED/SPED_gt.npy", npy_integers({1, 0}, "(2, 1)"));
  const Dataset set = load_named("sped", folder.path());
  EXPECT_EQ(set.positives, (Lists{{1}, {0}}));
  EXPECT_EQ(set.references[1].path, folder / "SPED/ref/1.jpg");
  EXPECT_NE(set.protocol.find("sped: 2 queries, 2 references; photos of SPED_dbImages.npy"), std::string::npos) << set.protocol;

  folder.write("datasets/SPED/SPED_gt.npy", npy_integers({1, 2}, "(2, 1)"));
  expect_error([&] { load_named("sped", folder.path()); }, ErrorCode::kBadFile,
               "gives query 1 the reference 2, but there are only 2");
  folder.write("datasets/SPED/SPED_gt.npy", npy_integers({1}, "(1, 1)"));
  expect_error([&] { load_named("sped", folder.path()); }, ErrorCode::kBadFile, "has 1 lists for 2 queries");
  std::filesystem::remove(folder / "datasets/SPED/SPED_gt.npy");
  expect_error([&] { load_named("sped", folder.path()); }, ErrorCode::kNotFound, "SPED_gt.npy");
  folder.write("datasets/SPED/SPED_gt.npy", npy_integers({1, 0}, "(2, 1)"));
  std::filesystem::remove(folder / "SPED/query/1.jpg");
  expect_error([&] { load_named("sped", folder.path()); }, ErrorCode::kNotFound, "SPED/query/1.jpg");
}

TEST(NamedSets, SpedAndAmsterTimeFromPairs) {
  const TemporaryFolder folder;
  for (const auto* name :
       {"ref/0.jpg", "ref/1.jpg", "query/1.png", "AmsterTime/old/7.jpg", "AmsterTime/old/8.jpg", "AmsterTime/new/7.png"})
    folder.write(name);
  EXPECT_EQ(load_named("sped", folder.path()).positives, (Lists{{1}}));
  const Dataset set = load_named("amstertime", folder.path());
  EXPECT_EQ(set.positives, (Lists{{0}, {}}));
  EXPECT_EQ(set.without_positive(), 1);
  std::filesystem::remove_all(folder / "AmsterTime/new");
  expect_error([&] { load_named("amstertime", folder.path()); }, ErrorCode::kNotFound, "AmsterTime/new' does not exist");
}

TEST(NamedSets, MslsValPicksTheOfficialQueries) {
  const TemporaryFolder folder;
  const std::vector<std::string> references = {"train_val/cph/database/images/a.jpg", "train_val/sf/database/images/b.jpg"};
  const std::vector<std::string> queries = {"train_val/cph/query/images/c.jpg", "train_val/cph/query/images/d.jpg",
                                            "train_val/sf/query/images/e.jpg"};
  for (const auto& name : references) folder.write("mapillary/" + name);
  for (const auto& name : queries) folder.write("mapillary/" + name);
  folder.write("datasets/msls_val/msls_val_dbImages.npy", npy_texts(references));
  folder.write("datasets/msls_val/msls_val_qImages.npy", npy_texts(queries));
  folder.write("datasets/msls_val/msls_val_qIdx.npy", npy_integers({2, 0}, "(2,)"));
  folder.write("datasets/msls_val/msls_val_pIdx.npy", npy_integers({1, 0}, "(2, 1)"));
  const Dataset set = load_named("msls_val", folder.path());
  EXPECT_EQ(names_of(set.queries), (std::vector<std::string>{queries[2], queries[0]}));
  EXPECT_EQ(set.positives, (Lists{{1}, {0}}));
  EXPECT_NE(set.protocol.find("msls_val_qIdx.npy selects"), std::string::npos);
  folder.write("datasets/msls_val/msls_val_qIdx.npy", npy_integers({2, 3}, "(2,)"));
  expect_error([&] { load_named("msls_val", folder.path()); }, ErrorCode::kBadFile, "selects the query 3, but there are only 3");
}

void write_msls(const TemporaryFolder& folder, const std::string& split, const std::vector<std::string>& cities) {
  for (const auto& city : cities) {
    const std::string base = split + "/" + city;
    folder.write(base + "/query/postprocessed.csv",
                 ",key,easting,northing,unique_cluster,night\n0,q" + city + ",100,100,1,False\n1,pano,100,100,1,False\n");
    folder.write(base + "/query/raw.csv", ",key,lon,lat,ca,captured_at,pano\n0,q" + city +
                                              ",12.5,55.6,90,2018-03-01,False\n1,pano,12.5,55.6,0,2018-03-01,True\n");
    folder.write(base + "/database/postprocessed.csv", ",key,easting,northing,unique_cluster,night\n0,r" + city +
                                                           ",100,120,1,False\n1,far" + city + ",100,130,1,False\n");
    for (const auto& name : {"/query/images/q" + city, "/database/images/r" + city, "/database/images/far" + city})
      folder.write(base + name + ".jpg");
  }
}

TEST(NamedSets, MslsFromItsTablesNeverMixesCities) {
  const TemporaryFolder folder;
  write_msls(folder, "train_val", {"cph", "sf"});
  const Dataset set = load_named("msls_val_all", folder.path());
  EXPECT_EQ(set.queries.size(), 2U);
  EXPECT_EQ(set.positives, (Lists{{0}, {2}}));
  EXPECT_DOUBLE_EQ(set.queries[0].position->geographic->lat_deg, 55.6);
  EXPECT_DOUBLE_EQ(set.queries[0].position->heading_deg.value(), 90);
  EXPECT_DOUBLE_EQ(set.queries[0].time_s.value(), 1519862400);
  EXPECT_NE(set.protocol.find("cph, sf except panoramas (2)"), std::string::npos) << set.protocol;
  std::filesystem::remove(folder / "train_val/sf/database/images/rsf.jpg");
  expect_error([&] { load_named("msls_val_all", folder.path()); }, ErrorCode::kNotFound, "rsf.jpg");
}

TEST(NamedSets, MslsTestListsAreUnlabelledUntilTablesAreThere) {
  const TemporaryFolder folder;
  const std::vector<std::string> cities = {"miami", "athens", "buenosaires", "stockholm", "bengaluru", "kampala"};
  write_msls(folder, "test", cities);
  EXPECT_EQ(load_named("msls_test", folder.path()).positives.size(), 6U);
  folder.write("msls_test_dbImages.npy",
               npy_texts({"test/athens/database/images/rathens.jpg", "test/miami/database/images/rmiami.jpg"}));
  folder.write("msls_test_qImages.npy", npy_texts({"test/miami/query/images/qmiami.jpg"}));
  const Dataset labelled = load_named("msls_test", folder.path());
  EXPECT_EQ(labelled.positives, (Lists{{1}}));
  std::filesystem::remove(folder / "test/athens/query/postprocessed.csv");
  const Dataset plain = load_named("msls_test", folder.path());
  EXPECT_FALSE(plain.labelled);
  EXPECT_NE(plain.protocol.find("without ground truth"), std::string::npos);
}

TEST(NamedSets, NordlandFromFolders) {
  const TemporaryFolder folder;
  write_frames(folder, "ref", 21);
  write_frames(folder, "query", 3);
  const Dataset set = load_named("nordland", folder.path());
  EXPECT_EQ(set.positives, (Lists{{0, 1}, {9, 10, 11}, {19, 20}}));
  EXPECT_NE(set.protocol.find("query i is frame 10i, references within +-1"), std::string::npos) << set.protocol;
  write_frames(folder, "query", 4);
  expect_error([&] { load_named("nordland", folder.path()); }, ErrorCode::kMismatch,
               "has 4 photos, but should have 3: one for every 10th frame of the 21 references");

  const TemporaryFolder seasons;
  write_frames(seasons, "summer", 15);
  write_frames(seasons, "winter", 15);
  EXPECT_EQ(load_named("nordland_3450", seasons.path()).positives[4], (std::vector<int>{2, 3, 4, 5, 6}));
  EXPECT_EQ(load_named("nordland_all", seasons.path()).positives[0].size(), 11U);
}

TEST(NamedSets, FoldersOfTheDownloaderGoByTheirNames) {
  const TemporaryFolder folder;
  for (const auto* name : {"pitts30k/images/val/database/@0@0@.jpg", "pitts30k/images/val/database/@0@100@.jpg",
                           "pitts30k/images/val/queries/@0@24@.jpg", "nordland/images/test/database/@0@0@.jpg",
                           "nordland/images/test/queries/@0@23.8@.jpg"}) {
    folder.write(name);
  }
  const Dataset set = load_named("pitts30k_val", folder.path());
  EXPECT_EQ(set.positives, (Lists{{0}}));
  EXPECT_NE(set.protocol.find("split val with @east@north@ names, a reference within 25 m"), std::string::npos) << set.protocol;
  EXPECT_EQ(load_named("nordland_all", folder.path()).positives, (Lists{{0}}));
  folder.write("pitts30k/images/val/queries/plain.jpg");
  expect_error([&] { load_named("pitts30k_val", folder.path()); }, ErrorCode::kBadFile, "plain.jpg' has no position");
}

TEST(NamedSets, PittsburghFromItsDbStruct) {
  const TemporaryFolder folder;
  for (const auto* name : {"000/a.jpg", "000/b.jpg", "queries_real/000/q.jpg"}) folder.write(name);
  const testing::MatWriter mat;
  folder.write("datasets/pitts250k_test.mat", mat.file(mat.compressed(mat.structure("dbStruct", mat.fields()))));
  const Dataset set = load_named("pitts250k_test", folder.path());
  EXPECT_EQ(set.positives, (Lists{{0, 1}}));
  EXPECT_EQ(set.queries[0].path, folder / "queries_real/000/q.jpg");
  EXPECT_NE(set.protocol.find("dbStruct of pitts250k_test.mat (set 'test'), a reference within 25 m"), std::string::npos)
      << set.protocol;
  auto fields = mat.fields();
  fields[1].second = mat.cells({"../../etc/passwd", "b"});
  folder.write("datasets/pitts250k_test.mat", mat.file(mat.structure("dbStruct", fields)));
  expect_error([&] { load_named("pitts250k_test", folder.path()); }, ErrorCode::kBadFile, "not below its folder");
}

}  // namespace
}  // namespace revisit

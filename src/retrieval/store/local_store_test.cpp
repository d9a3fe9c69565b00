// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Local features beside descriptors: kept, found again, replaced, merged; and what happens to them when the disk changes.
#include <gtest/gtest.h>

#include <memory>

#include "core/base/limits.h"
#include "index_fixtures.h"
#include "index_sql.h"
#include "retrieval/files/layout.h"
#include "retrieval/files/local_record.h"
#include "retrieval/store/schema.h"
#include "retrieval/store/store.h"
#include "revisit/index.h"

namespace revisit {
namespace {

using testing::add_rows;
using testing::expect_error;
using testing::problems_of;
using testing::read_bytes;
using testing::row_content;
using testing::row_entry;
using testing::row_name;
using testing::settings_of;
using testing::TemporaryFolder;
using testing::write_bytes;

constexpr int kSmallDim = 8;
constexpr int kCodes = 16;

LocalFeatures some_features(int seed, int patches = 5) {
  LocalFeatures out{kCodes, {}, {}};
  std::mt19937 random(static_cast<unsigned>(seed));
  const auto place = [&] { return static_cast<std::uint16_t>(random()); };
  for (int i = 0; i < patches; ++i) out.patches.push_back({place(), place(), place()});
  for (int i = 0; i < patches * kCodes; ++i)
    out.codes.push_back(static_cast<std::int8_t>(static_cast<int>(random() % 127U) - 63));
  return out;
}

/// Rows first..end-1 with local features, committed together.
void add_with_local(const std::filesystem::path& folder, int first, int end) {
  IndexWriter writer = IndexWriter::open(folder, settings_of(kSmallDim));
  writer.open_local(kCodes);
  for (int i = first; i < end; ++i) writer.keep_local(writer.add(row_entry(i), row_content(i, kSmallDim)), some_features(i));
  writer.commit();
}

void expect_local(const Index& index, int first, int end) {
  for (int row = first; row < end; ++row) EXPECT_EQ(index.local(row), some_features(row)) << row;
}

TEST(LocalStore, KeepsThemBesideTheDescriptors) {
  const TemporaryFolder folder;
  const auto db = folder / "db";
  add_with_local(db, 0, 3);
  add_with_local(db, 3, 5);
  const Index index = Index::open(db);
  EXPECT_EQ(index.local_rows(), 5);
  expect_local(index, 0, 5);
  EXPECT_EQ(problems_of(db), "");
  EXPECT_EQ(std::filesystem::file_size(db / "local.i8"), 64U + 5 * some_features(0).bytes());
}

TEST(LocalStore, AnIndexWithoutStaysAsItWas) {
  const TemporaryFolder folder;
  add_rows(folder / "db", 0, 3, kSmallDim);
  Index index = Index::open(folder / "db");
  EXPECT_EQ(index.local(1), std::nullopt);
  EXPECT_EQ(index.local_rows(), 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "db" / "local.i8"));
  EXPECT_EQ(testing::number_of(folder / "db", "PRAGMA user_version"), retrieval::kCatalogueVersion);
  // What is missing can be added later, and a view that is open sees it once it is refreshed.
  IndexWriter writer = IndexWriter::open(folder / "db", settings_of(kSmallDim));
  EXPECT_FALSE(writer.has_local());
  expect_error([&] { writer.keep_local(0, some_features(0)); }, ErrorCode::kUsage, "not opened to keep local features");
  writer.open_local(kCodes);
  EXPECT_EQ(writer.row_without_local(row_name(1)), 1);
  writer.keep_local(1, some_features(1));
  EXPECT_EQ(writer.row_without_local(row_name(1)), std::nullopt);
  EXPECT_EQ(writer.row_without_local("nobody"), std::nullopt);
  EXPECT_EQ(index.local(1), std::nullopt) << "not committed yet";
  writer.commit();
  index.refresh();
  expect_local(index, 1, 2);
  EXPECT_EQ(index.local(0), std::nullopt);
  EXPECT_EQ(index.local_rows(), 1);
  EXPECT_EQ(testing::number_of(folder / "db", "PRAGMA user_version"), retrieval::kLocalVersion);
}

TEST(LocalStore, WhatIsNotCommittedIsGone) {
  const TemporaryFolder folder;
  const auto db = folder / "db";
  add_with_local(db, 0, 2);
  const auto before = std::filesystem::file_size(db / "local.i8");
  {
    IndexWriter writer = IndexWriter::open(db, settings_of(kSmallDim));
    writer.open_local(kCodes);
    for (int i = 2; i < 6; ++i) writer.keep_local(writer.add(row_entry(i), row_content(i, kSmallDim)), some_features(i, 200));
  }
  write_bytes(db / "local.i8", read_bytes(db / "local.i8") + std::string(1000, 'x'));  // a tail torn by a crash
  expect_local(Index::open(db), 0, 2);
  add_with_local(db, 2, 3);
  expect_local(Index::open(db), 0, 3);
  EXPECT_EQ(std::filesystem::file_size(db / "local.i8"), before + some_features(2).bytes());
  EXPECT_EQ(problems_of(db), "");
}

TEST(LocalStore, AReplacedPhotoHasItsOwn) {
  const TemporaryFolder folder;
  const auto db = folder / "db";
  add_with_local(db, 0, 2);
  IndexWriter writer = IndexWriter::open(db, settings_of(kSmallDim));
  writer.open_local(kCodes);
  const int row = writer.add(row_entry(1), row_content(7, kSmallDim), true);
  EXPECT_EQ(writer.row_without_local(row_name(1)), row);
  writer.keep_local(row, some_features(7));
  writer.commit();
  const Index index = Index::open(db);
  EXPECT_EQ(index.local(*index.find(row_name(1))), some_features(7));
  EXPECT_EQ(index.local_rows(), 2);
}

TEST(LocalStore, MergeTakesThemAlong) {
  const TemporaryFolder folder;
  add_with_local(folder / "from", 0, 4);
  add_rows(folder / "into", 0, 2, kSmallDim);  // two of the same photos, without
  IndexWriter writer = IndexWriter::open(folder / "into", settings_of(kSmallDim));
  const MergeReport report = merge_index(writer, Index::open(folder / "from"), "from");
  EXPECT_EQ(report.added, 2);
  EXPECT_EQ(report.local, 4);
  const Index into = Index::open(folder / "into");
  expect_local(into, 0, 4);
  EXPECT_EQ(problems_of(folder / "into"), "");
}

TEST(LocalStore, RefusesOtherDims) {
  const TemporaryFolder folder;
  add_with_local(folder / "db", 0, 1);
  IndexWriter writer = IndexWriter::open(folder / "db", settings_of(kSmallDim));
  expect_error([&] { writer.open_local(kCodes + 1); }, ErrorCode::kMismatch, "local features of dim 16, not 17");
  writer.open_local(kCodes);
  LocalFeatures bad = some_features(1);
  bad.dim = kCodes / 2;
  expect_error([&] { writer.keep_local(0, bad); }, ErrorCode::kUsage, "dim 8");
  bad = some_features(1);
  bad.codes[3] = -64;
  expect_error([&] { writer.keep_local(0, bad); }, ErrorCode::kUsage, "codes of 63");
  expect_error([&] { writer.keep_local(0, some_features(1, 257)); }, ErrorCode::kUsage, "257 patches");
  expect_error([&] { writer.keep_local(1, some_features(1)); }, ErrorCode::kUsage, "row 1 is not in an index of 1 rows");
  writer.keep_local(0, some_features(9, 256));
  writer.keep_local(0, some_features(9, 0));
  writer.commit();
  EXPECT_EQ(Index::open(folder / "db").local(0)->count(), 0);
}

TEST(LocalStore, AFileCutAnywhereIsRefused) {
  const TemporaryFolder folder;
  const auto db = folder / "db";
  add_with_local(db, 0, 2);
  const std::string whole = read_bytes(db / "local.i8");
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    write_bytes(db / "local.i8", whole.substr(0, bytes));
    const Index index = Index::open(db);  // the descriptors are sound
    expect_error([&] { index.local(1); }, ErrorCode::kBadFile, "local.i8");
    EXPECT_NE(problems_of(db), "") << bytes;
    expect_error([&] { IndexWriter::open(db, settings_of(kSmallDim)).open_local(kCodes); }, ErrorCode::kBadFile, "local.i8");
  }
  write_bytes(db / "local.i8", whole);
  EXPECT_EQ(problems_of(db), "");
}

TEST(LocalStore, AFlippedBitIsFound) {
  const TemporaryFolder folder;
  const auto db = folder / "db";
  add_with_local(db, 0, 2);
  const std::string whole = read_bytes(db / "local.i8");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    write_bytes(db / "local.i8", flipped);
    EXPECT_NE(problems_of(db), "") << at;
    const Index index = Index::open(db);
    const int hit = at < 64 + some_features(0).bytes() ? 0 : 1;
    EXPECT_THROW(index.local(hit), Error) << at;
    if (at >= 64) {
      EXPECT_EQ(index.local(1 - hit), some_features(1 - hit));
    }
  }
}

TEST(LocalStore, AChangedLineIsFound) {
  const TemporaryFolder folder;
  const auto db = folder / "db";
  add_with_local(db, 0, 3);
  const std::string catalogue = read_bytes(db / "catalogue.sqlite");
  for (const char* change :
       {"UPDATE locals SET start = start + 1 WHERE row = 1", "UPDATE locals SET start = 64 WHERE row = 1",
        "UPDATE locals SET bytes = bytes - 22 WHERE row = 1", "UPDATE locals SET bytes = -1 WHERE row = 1",
        "UPDATE locals SET bytes = 9223372036854775807 WHERE row = 1", "UPDATE locals SET start = -5 WHERE row = 1",
        "UPDATE locals SET start = 9223372036854775807 WHERE row = 1", "UPDATE locals SET checksum = checksum + 1 WHERE row = 1",
        "UPDATE locals SET start = 'x' WHERE row = 1",
        "UPDATE locals SET (start, checksum) = (SELECT start, checksum FROM locals WHERE row = 2) WHERE row = 1"}) {
    testing::sql(db, change);
    EXPECT_THROW(Index::open(db).local(1), Error) << change;
    EXPECT_NE(problems_of(db), "") << change;
    write_bytes(db / "catalogue.sqlite", catalogue);
  }
  EXPECT_EQ(problems_of(db), "");
}

TEST(LocalStore, ADeletedFileIsMadeAnew) {
  const TemporaryFolder folder;
  const auto db = folder / "db";
  add_with_local(db, 0, 3);
  std::filesystem::remove(db / "local.i8");
  expect_error([&] { Index::open(db).local(1); }, ErrorCode::kNotFound, "local.i8");
  EXPECT_NE(problems_of(db), "");
  IndexWriter writer = IndexWriter::open(db, settings_of(kSmallDim));
  writer.open_local(kCodes);
  for (int row = 0; row < 3; ++row) writer.keep_local(*writer.row_without_local(row_name(row)), some_features(row));
  writer.commit();
  expect_local(Index::open(db), 0, 3);
  EXPECT_EQ(problems_of(db), "");
}

TEST(LocalStore, ALinkOrAForeignFileIsRefused) {
  const TemporaryFolder folder;
  add_with_local(folder / "db", 0, 2);
  add_with_local(folder / "other", 0, 2);
  const auto file = folder / "db" / "local.i8";
  std::filesystem::remove(file);
  std::filesystem::create_symlink(folder / "other" / "local.i8", file);
  EXPECT_THROW(Index::open(folder / "db").local(0), Error);
  EXPECT_THROW(IndexWriter::open(folder / "db", settings_of(kSmallDim)).open_local(kCodes), Error);
  std::filesystem::remove(file);
  std::filesystem::copy(folder / "other" / "local.i8", file);
  expect_error([&] { Index::open(folder / "db").local(0); }, ErrorCode::kBadFile, "belongs to another index");
  expect_error([&] { IndexWriter::open(folder / "db", settings_of(kSmallDim)).open_local(kCodes); }, ErrorCode::kBadFile,
               "another index");
}

TEST(LocalStore, EveryStoreKeepsThem) {
  const TemporaryFolder folder;
  for (const std::string& address : {std::string("memory:"), (folder / "db").string()}) {
    const auto store = retrieval::open_store(address, settings_of(kSmallDim));
    EXPECT_FALSE(store->has_local());
    for (int i = 0; i < 3; ++i) store->keep_local(store->add(row_entry(i), row_content(i, kSmallDim), false), some_features(i));
    EXPECT_TRUE(store->has_local());
    store->commit();
    EXPECT_EQ(store->local(2), some_features(2)) << address;
    store->add(row_entry(3), row_content(3, kSmallDim), false);
    store->commit();
    EXPECT_EQ(store->local(3), std::nullopt) << address;
    LocalFeatures bad = some_features(0);
    bad.codes[0] = 64;
    EXPECT_THROW(store->keep_local(0, bad), Error) << address;
  }
}

}  // namespace
}  // namespace revisit

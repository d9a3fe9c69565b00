// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "revisit/index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/stop_scope.h"
#include "index_fixtures.h"

namespace revisit {
namespace {

using testing::add_rows;
using testing::expect_error;
using testing::expect_whole_rows;
using testing::problems_of;
using testing::row_content;
using testing::row_entry;
using testing::row_name;
using testing::settings_of;
using testing::TemporaryFolder;

constexpr int kDim = 24;

TEST(Index, GivesBackWhatWasAdded) {
  const TemporaryFolder folder;
  IndexSettings settings = settings_of(kDim);
  settings.spec = {.rho = 0.4,
                   .keep_mass = 0.75,
                   .size = Size{98, 112},
                   .aggregate = "gem",
                   .prune = "random",
                   .prune_layer = 2,
                   .kappa = 0.1 + 0.2,
                   .norm_scale = "raw",
                   .spread = 3,
                   .seed = 1ULL << 62U,
                   .precision = "f32",
                   .orientation = "ignore",
                   .model_identity = "0123456789abcdef"};
  IndexEntry plain{"a b/\xff\xc3.jpg", "", 0, std::nullopt, std::nullopt};
  IndexEntry full{"full", "x/y", 0xfedcba9876543210, Position{500000.25, 5000000.5, LatLon{45.1, -7.2}, 271.5}, 1.25e9};
  {
    IndexWriter writer = IndexWriter::open(folder / "new/index", settings);
    EXPECT_EQ(writer.add(plain, row_content(0, kDim)), 0);
    EXPECT_EQ(writer.add(full, row_content(1, kDim)), 1);
    EXPECT_EQ(writer.rows(), 2);
    EXPECT_EQ(writer.find("full")->path, "x/y");
    EXPECT_EQ(writer.name_of_content(0xfedcba9876543210), "full");
    EXPECT_FALSE(writer.name_of_content(0));
    EXPECT_FALSE(writer.find("nothing"));
    writer.commit();
  }
  const Index index = Index::open(folder / "new/index");
  EXPECT_EQ(index.rows(), 2);
  EXPECT_EQ(index.settings().dim, kDim);
  EXPECT_EQ(index.settings().model, "models/a.safetensors");
  EXPECT_EQ(index.settings().model_constants, settings.model_constants);
  EXPECT_EQ(index.settings().spec, settings.spec);
  const IndexEntry first = index.entry(0);
  EXPECT_EQ(first.name, plain.name);
  EXPECT_FALSE(first.position);
  EXPECT_FALSE(first.time_s);
  const IndexEntry second = index.entry(1);
  EXPECT_EQ(second.content_hash, full.content_hash);
  EXPECT_EQ(second.position->east_m, 500000.25);
  EXPECT_EQ(second.position->geographic->lon_deg, -7.2);
  EXPECT_EQ(second.position->heading_deg, 271.5);
  EXPECT_EQ(second.time_s, 1.25e9);
  EXPECT_EQ(index.find("full"), 1);
  EXPECT_FALSE(index.find("other"));
  const auto stored = index.descriptor(1);
  EXPECT_EQ(std::vector<float>(stored.begin(), stored.end()), row_content(1, kDim));
  EXPECT_EQ(problems_of(folder / "new/index"), "");
}

TEST(Index, RowsThatWereNotCommittedAreNotThere) {
  const TemporaryFolder folder;
  {
    IndexWriter writer = IndexWriter::open(folder.path(), settings_of(kDim));
    writer.add(row_entry(0), row_content(0, kDim));
    writer.commit();
    writer.add(row_entry(1), row_content(1, kDim));
  }
  EXPECT_EQ(Index::open(folder.path()).rows(), 1);
  add_rows(folder.path(), 1, 3, kDim);
  expect_whole_rows(Index::open(folder.path()), 3);
  EXPECT_EQ(problems_of(folder.path()), "");
}

TEST(Index, AViewStaysAsItIsUntilRefreshed) {
  const TemporaryFolder folder;
  add_rows(folder.path(), 0, 5, kDim);
  Index index = Index::open(folder.path());
  {
    IndexWriter writer = IndexWriter::open(folder.path(), settings_of(kDim));
    writer.add(row_entry(2), row_content(99, kDim), true);
    for (int i = 6; i < 200; ++i) writer.add(row_entry(i), row_content(i, kDim));
    writer.commit();
    EXPECT_EQ(index.rows(), 5);
    EXPECT_EQ(index.find(row_name(2)), 2);
    EXPECT_TRUE(index.is_live(2));
    EXPECT_FALSE(index.find(row_name(7)));
    EXPECT_EQ(index.search(row_content(2, kDim), {})[0][0].row, 2);
    EXPECT_EQ(index.refresh(), 195);
    EXPECT_EQ(index.refresh(), 0);
  }
  EXPECT_EQ(index.rows(), 200);
  EXPECT_EQ(index.live_rows(), 199);
  EXPECT_EQ(index.find(row_name(2)), 5);
  EXPECT_FALSE(index.is_live(2));
  EXPECT_EQ(index.search(row_content(99, kDim), {})[0][0].row, 5);
  EXPECT_NE(index.search(row_content(2, kDim), {})[0][0].row, 2);
  EXPECT_EQ(problems_of(folder.path()), "");
}

TEST(Index, ANameTwiceIsRefusedOrReplacesAlsoBeforeTheCommit) {
  const TemporaryFolder folder;
  IndexWriter writer = IndexWriter::open(folder.path(), settings_of(kDim));
  writer.add(row_entry(1), row_content(1, kDim));
  expect_error([&] { writer.add(row_entry(1), row_content(1, kDim)); }, ErrorCode::kUsage, "is already in index");
  EXPECT_EQ(writer.add(row_entry(1), row_content(2, kDim), true), 1);
  writer.commit();
  expect_error([&] { writer.add(row_entry(1), row_content(1, kDim)); }, ErrorCode::kUsage, "as row 1");
  EXPECT_EQ(Index::open(folder.path()).live_rows(), 1);
}

TEST(Index, SettingsThatDisagreeAreRefusedWithBothValuesNamed) {
  const TemporaryFolder folder;
  add_rows(folder.path(), 0, 2, kDim);
  const auto refused = [&](const char* part, auto change) {
    IndexSettings other = settings_of(kDim);
    change(other);
    expect_error([&] { IndexWriter::open(folder.path(), other); }, ErrorCode::kMismatch, part);
  };
  refused("dim 24, not 25", [](IndexSettings& s) { s.dim = 25; });
  refused("weights 'f00d', not 'beef'", [](IndexSettings& s) {
    s.model_constants["fingerprint"] = "beef";
    s.spec.model_identity = "other";
  });
  refused("heads '6', not '4'; mean 'nothing', not '0,0,0'", [](IndexSettings& s) {
    s.model_constants["heads"] = "4";
    s.model_constants["mean"] = "0,0,0";
    s.spec.model_identity = "other";
  });
  refused("identity 1dea, not other", [](IndexSettings& s) { s.spec.model_identity = "other"; });
  refused("these descriptors name no model", [](IndexSettings& s) { s.spec.model_identity.reset(); });
  refused("orientation apply, not ignore", [](IndexSettings& s) { s.spec.orientation = "ignore"; });
  refused("aggregate none, not cls", [](IndexSettings& s) { s.spec.aggregate = "cls"; });
  IndexSettings allowed = settings_of(kDim);
  allowed.spec.rho = 0.5;
  allowed.spec.size = Size{224, 224};
  EXPECT_EQ(IndexWriter::open(folder.path(), allowed).rows(), 2);
  EXPECT_EQ(Index::open(folder.path()).settings().spec.rho, 1);
  EXPECT_TRUE(Index::open(folder.path()).settings().also.empty()) << "no such row has come";
}

TEST(Index, RemembersThatSomeRowsWereDescribedOtherwise) {
  const TemporaryFolder folder;
  add_rows(folder.path(), 0, 2, kDim);
  IndexSettings pruned = settings_of(kDim);
  pruned.spec.rho = 0.5;
  for (int row = 2; row < 6; ++row) {
    IndexWriter writer = IndexWriter::open(folder.path(), pruned);
    writer.add(row_entry(row), row_content(row, kDim));
    writer.commit();
  }
  const IndexSettings stored = Index::open(folder.path()).settings();
  EXPECT_EQ(stored.also, (std::vector<std::string>{"rho 0.5, not 1"}));
  EXPECT_EQ(stored.spec.rho, 1);
  EXPECT_EQ(testing::problems_of(folder.path()), "");
}

TEST(Index, RowsDescribedInVeryManyWaysStillOpen) {
  const TemporaryFolder folder;
  {
    IndexSettings settings = settings_of(kDim);
    IndexWriter writer = IndexWriter::open(folder.path(), settings);
    for (int row = 0; row < 400; ++row) {
      settings.spec.rho = (row + 1) / 1000.0;
      writer.made_as(settings);
      writer.add(row_entry(row), row_content(row, kDim));
    }
    writer.commit();
  }
  const std::vector<std::string> also = Index::open(folder.path()).settings().also;
  EXPECT_GT(also.size(), 200U);
  EXPECT_EQ(also.front(), "rho 0.001, not 1");
  EXPECT_EQ(also.back(), "and others");
}

TEST(Index, AMergeRemembersWhatTheOthersRowsDifferIn) {
  const TemporaryFolder folder;
  const auto made = [&](const char* name, double rho, int first, int count) {
    IndexSettings settings = settings_of(kDim);
    settings.spec.rho = rho;
    IndexWriter writer = IndexWriter::open(folder / name, settings);
    for (int row = first; row < first + count; ++row) writer.add(row_entry(row), row_content(row, kDim));
    writer.commit();
  };
  const auto merged = [&](const char* into, const char* from) {
    IndexWriter writer = IndexWriter::open(folder / into, index_settings(folder / into).value_or(settings_of(kDim)));
    merge_index(writer, Index::open(folder / from), from);
    return writer.settings().also;
  };
  using Also = std::vector<std::string>;
  made("whole", 1, 0, 2);
  made("pruned", 0.5, 2, 2);
  made("copy", 0.5, 0, 2);
  EXPECT_EQ(merged("whole", "copy"), Also{}) << "all of its rows are there";
  EXPECT_EQ(merged("whole", "pruned"), Also{"rho 0.5, not 1"});
  made("other", 1, 10, 1);
  EXPECT_EQ(merged("other", "whole"), Also{"rho 0.5, not 1"}) << "also at second hand";
  made("last", 1, 20, 1);
  EXPECT_EQ(merged("other", "last"), Also{"rho 0.5, not 1"});
  EXPECT_EQ(Index::open(folder / "other").settings().also, Also{"rho 0.5, not 1"});
}

TEST(Index, RefusesWhatCannotBeMeant) {
  const TemporaryFolder folder;
  IndexWriter writer = IndexWriter::open(folder.path(), settings_of(kDim));
  const auto refused = [&](const char* part, auto change) {
    IndexEntry entry = row_entry(1);
    std::vector<float> row = row_content(1, kDim);
    change(entry, row);
    expect_error([&] { writer.add(entry, row); }, ErrorCode::kUsage, part);
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  refused("is empty", [](IndexEntry& e, auto&) { e.name = ""; });
  refused("has 4097 bytes, the limit is 4096", [](IndexEntry& e, auto&) { e.name = std::string(4097, 'x'); });
  refused("contains a NUL byte", [](IndexEntry& e, auto&) { e.name = std::string("a\0b", 3); });
  refused("has 4097 bytes", [](IndexEntry& e, auto&) { e.path = std::string(4097, 'x'); });
  refused("time_s of", [&](IndexEntry& e, auto&) { e.time_s = nan; });
  refused("east_m of", [&](IndexEntry& e, auto&) { e.position = Position{nan, 0, {}, {}}; });
  refused("off the globe", [](IndexEntry& e, auto&) { e.position = Position{0, 0, LatLon{91, 0}, {}}; });
  refused("has 23 values", [](IndexEntry&, auto& row) { row.pop_back(); });
  refused("holds nan at position 3", [&](IndexEntry&, auto& row) { row[3] = nan; });
  refused("holds inf at position 0", [](IndexEntry&, auto& row) { row[0] = std::numeric_limits<float>::infinity(); });
  IndexEntry longest = row_entry(1);
  longest.name = std::string(4096, 'x');
  EXPECT_EQ(writer.add(longest, row_content(1, kDim)), 0);
  writer.commit();
  EXPECT_EQ(Index::open(folder.path()).entry(0).name, longest.name);

  for (const int dim : {0, -1, 65'537}) {
    expect_error([&] { IndexWriter::open(folder / "x", settings_of(dim)); }, ErrorCode::kUsage, "is outside 1..65536");
  }
  IndexSettings rho = settings_of(kDim);
  rho.spec.rho = nan;
  expect_error([&] { IndexWriter::open(folder / "x", rho); }, ErrorCode::kUsage, "rho is 'nan'");
}

TEST(Index, SearchRefusesWhatCannotBeMeantAndAnswersTheRest) {
  const TemporaryFolder folder;
  add_rows(folder.path(), 0, 0, kDim);
  const Index empty = Index::open(folder.path());
  ASSERT_EQ(empty.search(row_content(0, kDim), {}).size(), 1U);
  EXPECT_TRUE(empty.search(row_content(0, kDim), {})[0].empty());
  add_rows(folder.path(), 0, 8, kDim);
  const Index index = Index::open(folder.path());
  std::vector<float> query = row_content(3, kDim);
  const auto refused = [&](const char* part, auto change) {
    SearchOptions options;
    change(options);
    expect_error([&] { index.search(query, options); }, ErrorCode::kUsage, part);
  };
  refused("`top_k` 0 is outside 1..1000", [](SearchOptions& o) { o.top_k = 0; });
  refused("`top_k` 1001", [](SearchOptions& o) { o.top_k = 1001; });
  refused("`first_row` -1", [](SearchOptions& o) { o.first_row = -1; });
  refused("`end_row` -5", [](SearchOptions& o) { o.end_row = -5; });
  refused("`radius_m` -1", [](SearchOptions& o) { o.near = Position{}, o.radius_m = -1; });
  refused("`after_s` is nan", [](SearchOptions& o) { o.after_s = std::nan(""); });
  expect_error([&] { index.search(std::vector<float>(25), {}); }, ErrorCode::kUsage, "not a whole number");
  std::vector<float> two = query;
  two.insert(two.end(), query.begin(), query.end());
  two[kDim + 5] = std::nanf("");
  expect_error([&] { index.search(two, {}); }, ErrorCode::kUsage, "query 1 holds nan at position 5");
  expect_error([&] { index.entry(8); }, ErrorCode::kUsage, "row 8");
  expect_error([&] { index.descriptor(-1); }, ErrorCode::kUsage, "row -1");

  EXPECT_TRUE(index.search({}, {}).empty());
  SearchOptions all;
  all.top_k = 1000;
  EXPECT_EQ(index.search(query, all)[0].size(), 8U) << "fewer rows than asked for";
  EXPECT_EQ(index.search(query, all)[0][0].row, 3);
}

TEST(Index, FiltersByRowTimeAndPlace) {
  const TemporaryFolder folder;
  {
    IndexWriter writer = IndexWriter::open(folder.path(), settings_of(kDim));
    for (int i = 0; i < 40; ++i) {
      IndexEntry entry = row_entry(i);
      if (i >= 10) entry.position = Position{i * 10.0, 0, std::nullopt, std::nullopt};
      if (i % 2 == 1) entry.time_s.reset();
      writer.add(entry, row_content(i, kDim));
    }
    writer.commit();
  }
  const Index index = Index::open(folder.path());
  const auto rows = [&](const SearchOptions& options) {
    std::vector<int> out;
    const auto found = index.search(row_content(3, kDim), options);
    for (const Match& match : found[0]) out.push_back(match.row);
    std::sort(out.begin(), out.end());
    return out;
  };
  SearchOptions options;
  options.top_k = 100;
  options.first_row = 5;
  options.end_row = 8;
  EXPECT_EQ(rows(options), (std::vector<int>{5, 6, 7}));
  options = SearchOptions();
  options.top_k = 100;
  options.after_s = 4.0;
  options.before_s = 8.0;
  EXPECT_EQ(rows(options), (std::vector<int>{4, 6, 8}));
  options = SearchOptions();
  options.top_k = 100;
  options.near = Position{205, 0, std::nullopt, std::nullopt};
  options.radius_m = 15;
  EXPECT_EQ(rows(options), (std::vector<int>{19, 20, 21, 22}));
  options.before_s = 20;
  EXPECT_EQ(rows(options), (std::vector<int>{20}));
  options.first_row = 1000;
  EXPECT_TRUE(rows(options).empty());
}

TEST(Index, DerivedCodesCanBeDeletedAndAreMadeAnew) {
  const TemporaryFolder folder;
  add_rows(folder.path(), 0, 30, kDim);
  const auto codes = folder / "codes.i8";
  const std::string sound = testing::read_bytes(codes);
  for (const std::string& broken :
       {std::string(), sound.substr(0, 40), sound.substr(0, sound.size() - 1), std::string(5000, 'x')}) {
    testing::write_bytes(codes, broken);
    if (broken.empty()) std::filesystem::remove(codes);
    EXPECT_EQ(Index::open(folder.path()).search(row_content(17, kDim), {})[0][0].row, 17);
    EXPECT_EQ(testing::read_bytes(codes), sound);
    std::filesystem::remove(codes);
    IndexWriter::open(folder.path(), settings_of(kDim));
    EXPECT_EQ(testing::read_bytes(codes), sound);
  }
  std::filesystem::remove(codes);
  const IndexWriter writer = IndexWriter::open(folder.path(), settings_of(kDim));
  std::filesystem::remove(codes);  // a reader cannot rebuild them during a write
  EXPECT_EQ(Index::open(folder.path()).search(row_content(17, kDim), {})[0][0].row, 17);
  EXPECT_FALSE(std::filesystem::exists(codes));
}

TEST(Index, DamagedCodesCostTimeAndADamagedRowIsNotAnsweredWith) {
  const TemporaryFolder folder;
  add_rows(folder.path(), 0, 30, kDim);
  const auto codes = folder / "codes.i8";
  const std::string sound = testing::read_bytes(codes);
  std::string bytes = sound;
  const std::size_t row_bytes = (bytes.size() - 64) / 30;
  bytes[64 + 17 * row_bytes + 14] = static_cast<char>(bytes[64 + 17 * row_bytes + 14] ^ 0x10);  // of its squared length
  testing::write_bytes(codes, bytes);
  EXPECT_EQ(Index::open(folder.path()).search(row_content(17, kDim), {})[0][0].row, 17);
  testing::write_bytes(codes, sound);
  std::string rows = testing::read_bytes(folder / "vectors.bin");
  const std::size_t last_bit = 64 + (18 * kDim - 1) * sizeof(float);
  rows[last_bit] = static_cast<char>(rows[last_bit] ^ 1);  // too little for any bound to notice
  testing::write_bytes(folder / "vectors.bin", rows);
  const Index index = Index::open(folder.path());
  SearchOptions first;
  first.top_k = 1;
  expect_error([&] { index.search(row_content(17, kDim), first); }, ErrorCode::kBadFile, "row 17 of index");
  EXPECT_EQ(index.search(row_content(3, kDim), first)[0][0].row, 3);
}

TEST(Index, APlaceLearntLaterIsWrittenIntoTheRowThatIsThere) {
  const TemporaryFolder folder;
  add_rows(folder.path(), 0, 3, kDim);
  Index index = Index::open(folder.path());
  {
    IndexWriter writer = IndexWriter::open(folder.path(), settings_of(kDim));
    writer.place(row_name(1), Position{7, 8, std::nullopt, 90.0}, 12.5);
    expect_error([&] { writer.place("nobody", std::nullopt, 1.0); }, ErrorCode::kUsage, "'nobody' is not in index");
    writer.commit();
    writer.place(row_name(2), Position{1, 1, std::nullopt, std::nullopt}, 99.0);  // never committed
  }
  EXPECT_EQ(index.refresh(), 0);
  EXPECT_EQ(index.live_rows(), 3);
  EXPECT_EQ(index.entry(1).position->east_m, 7);
  EXPECT_EQ(index.entry(1).position->heading_deg, 90.0);
  EXPECT_EQ(index.entry(1).time_s, 12.5);
  EXPECT_NE(index.entry(2).time_s, 99.0);
  SearchOptions near;
  near.near = Position{7, 8, std::nullopt, std::nullopt};
  near.radius_m = 0.5;
  EXPECT_EQ(index.search(row_content(1, kDim), near)[0].at(0).row, 1);
}

TEST(Index, AFolderThatIsNotThereOrHoldsNothingIsNotFound) {
  const TemporaryFolder folder;
  expect_error([&] { Index::open(folder / "nothing"); }, ErrorCode::kNotFound, "nothing");
  expect_error([&] { Index::open(folder.path()); }, ErrorCode::kNotFound, "catalogue.sqlite");
  testing::write_bytes(folder / "file", "x");
  expect_error([&] { Index::open(folder / "file"); }, ErrorCode::kNotFound, "not a folder");
  expect_error([&] { verify_index(folder / "nothing"); }, ErrorCode::kNotFound, "nothing");
}

TEST(Index, AVerificationThatIsStoppedReportsNoDamage) {
  const TemporaryFolder folder;
  add_rows(folder.path(), 0, 3'000, kDim);
  EXPECT_TRUE(verify_index(folder.path()).empty());
  int asked = 0;
  {
    const StopScope scope([&] { return ++asked, false; }, "unused");
    verify_index(folder.path());
  }
  ASSERT_GE(asked, 1);
  const StopScope scope([] { return true; }, "stopped as asked");
  expect_error([&] { verify_index(folder.path()); }, ErrorCode::kInterrupted, "stopped as asked");
}

TEST(Index, AFolderThatCannotBeWrittenOpensAndAnswers) {
  const TemporaryFolder folder;
  add_rows(folder.path(), 0, 10, kDim);
  std::filesystem::remove(folder / "codes.i8");
  EXPECT_TRUE(testing::holds_read_only(folder.path(), [&] {
    const Index index = Index::open(folder.path());
    const auto row = index.descriptor(7);
    const bool same = std::vector<float>(row.begin(), row.end()) == row_content(7, kDim);
    return index.rows() == 10 && same && index.entry(9).name == row_name(9) && verify_index(folder.path()).empty();
  }));
}

}  // namespace
}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Lines of the catalogue changed on disk into plausible ones: another place, path or name. No answer uses one, verify names its
// row, and adding the photo again repairs it.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "index_fixtures.h"
#include "index_sql.h"

namespace revisit::testing {
namespace {

constexpr int kSealDim = 8;
constexpr int kSealRows = 6;
constexpr int kHit = 3;  // the row whose line is changed
constexpr const char* kSays = "the line of row 3 ('photos/";

IndexEntry placed_entry(int number) {
  IndexEntry entry = row_entry(number);
  entry.position = Position{500'000.25 + number, 5'340'000.5, LatLon{48.25, 9.5}, 90.5};
  return entry;
}

void make_index(const std::filesystem::path& folder) {
  IndexWriter writer = IndexWriter::open(folder, settings_of(kSealDim));
  for (int i = 0; i < kSealRows; ++i) writer.add(placed_entry(i), row_content(i, kSealDim));
  writer.commit();
}

bool is_as_added(const IndexEntry& entry, int number) {
  const IndexEntry wanted = placed_entry(number);
  return entry.name == wanted.name && entry.path == wanted.path && entry.content_hash == wanted.content_hash &&
         entry.time_s == wanted.time_s && entry.position && entry.position->geographic &&
         entry.position->east_m == wanted.position->east_m && entry.position->north_m == wanted.position->north_m &&
         entry.position->geographic->lat_deg == 48.25 && entry.position->geographic->lon_deg == 9.5 &&
         entry.position->heading_deg == 90.5;
}

SearchOptions best_only() {
  SearchOptions options;
  options.top_k = 1;
  return options;
}

SearchOptions anywhere_after(double time_s) {
  SearchOptions options = best_only();
  options.after_s = time_s;
  return options;
}

SearchOptions near_the_first() {
  SearchOptions options = best_only();
  options.near = placed_entry(0).position;
  options.radius_m = 0.1;
  return options;
}

void expect_verify_names_the_row(const std::filesystem::path& folder) {
  for (const IndexProblem& problem : verify_index(folder)) {
    if (problem.row == kHit && problem.what.find(kSays) != std::string::npos) return;
  }
  ADD_FAILURE() << "verify does not name row " << kHit << ": " << problems_of(folder);
}

void expect_readers_refuse(const std::filesystem::path& folder) {
  const Index index = Index::open(folder);
  const auto refused = [&](auto&& action) { expect_error(action, ErrorCode::kBadFile, kSays); };
  refused([&] { index.entry(kHit); });
  refused([&] { index.search(row_content(kHit, kSealDim), best_only()); });
  refused([&] { index.checked_descriptor(kHit); });
  // Whichever rows are near: it is no longer certain that this one is not among them.
  refused([&] { index.search(row_content(0, kSealDim), anywhere_after(-1)); });
  refused([&] { index.search(row_content(0, kSealDim), near_the_first()); });
  const TemporaryFolder other;
  IndexWriter writer = IndexWriter::open(other.path(), settings_of(kSealDim));
  refused([&] { merge_index(writer, index, "other"); });
  EXPECT_TRUE(is_as_added(index.entry(2), 2));
  EXPECT_EQ(index.search(row_content(2, kSealDim), best_only())[0][0].row, 2);
}

TEST(IndexSeal, NoFieldOfALineIsChangedUnnoticed) {
  for (const char* change :
       {"name = 'photos/s.jpg'", "path = 'somewhere/photos/s.jpg'", "path = ''", "content_hash = content_hash + 1024",
        "content_hash = 0", "checksum = checksum + 1", "east_m = east_m + 1", "north_m = north_m + 0.0000000009313225746154785",
        "lat_deg = 32.25", "lon_deg = 9.75", "lat_deg = NULL, lon_deg = NULL", "heading_deg = 74.5", "heading_deg = NULL",
        "time_s = 2", "time_s = NULL", "east_m = NULL, north_m = NULL, lat_deg = NULL, lon_deg = NULL, heading_deg = NULL",
        "seal = seal + 1", "seal = 0"}) {
    SCOPED_TRACE(change);
    const TemporaryFolder folder;
    make_index(folder.path());
    sql(folder.path(), std::string("UPDATE photos SET ") + change + " WHERE row = 3");
    expect_verify_names_the_row(folder.path());
    expect_readers_refuse(folder.path());
    const std::string name = std::string(change).starts_with("name") ? "photos/s.jpg" : row_name(kHit);
    expect_error([&] { Index::open(folder.path()).find(name); }, ErrorCode::kBadFile, kSays);
    try {
      Index::open(folder.path()).entry(kHit);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("catalogue.sqlite': the line of row 3"), std::string::npos) << error.what();
      EXPECT_EQ(error.hint(), "restore the index from a copy, or add this photo again as an update");
    }
  }
}

TEST(IndexSeal, APhotoIsNeitherHiddenNorBroughtBackUnnoticed) {
  const TemporaryFolder hidden, back;
  make_index(hidden.path());
  sql(hidden.path(), "UPDATE photos SET live = 0 WHERE row = 3");
  expect_verify_names_the_row(hidden.path());
  expect_error([&] { Index::open(hidden.path()).entry(kHit); }, ErrorCode::kBadFile, kSays);

  make_index(back.path());
  {
    IndexWriter writer = IndexWriter::open(back.path(), settings_of(kSealDim));
    writer.add(placed_entry(kHit), row_content(kHit, kSealDim), true);
    writer.commit();
  }
  EXPECT_EQ(problems_of(back.path()), "");
  sql(back.path(), "UPDATE photos SET live = 1 WHERE row = 3");
  expect_verify_names_the_row(back.path());
  expect_error([&] { Index::open(back.path()).search(row_content(kHit, kSealDim), best_only()); }, ErrorCode::kBadFile, kSays);
}

TEST(IndexSeal, ALineFitsOnlyItsRowAndItsIndex) {
  const TemporaryFolder folder, other;
  make_index(folder.path());
  make_index(other.path());
  sql(folder.path(), "UPDATE photos SET row = -1 WHERE row = 3; UPDATE photos SET row = 3 WHERE row = 4");
  sql(folder.path(), "UPDATE photos SET row = 4 WHERE row = -1");
  const auto problems = problems_of(folder.path());
  EXPECT_NE(problems.find("the line of row 3 ('photos/4.jpg')"), std::string::npos) << problems;
  EXPECT_NE(problems.find("the line of row 4 ('photos/3.jpg')"), std::string::npos) << problems;
  const Index swapped = Index::open(folder.path());
  for (const int row : {3, 4}) {
    expect_error([&] { swapped.entry(row); }, ErrorCode::kBadFile, "was changed on disk");
    expect_error([&] { swapped.search(row_content(row, kSealDim), best_only()); }, ErrorCode::kBadFile, "was changed on disk");
    expect_error([&] { swapped.find(row_name(row)); }, ErrorCode::kBadFile, "was changed on disk");
  }

  const TemporaryFolder third;
  make_index(third.path());
  const auto seal = number_of(third.path(), "SELECT seal FROM photos WHERE row = 3");
  sql(other.path(), "UPDATE photos SET seal = " + std::to_string(seal) + " WHERE row = 3");
  expect_verify_names_the_row(other.path());
}

/// Where the line of row 3 is in the file: SQLite's cell is its length, the row, a head of 14 bytes with a type for each
/// column, and the columns.
struct Cell {
  std::size_t begin = 0, types = 0, name = 0, path = 0, end = 0;
};

Cell cell_of(const std::string& bytes) {
  Cell out;
  const std::string name = row_name(kHit);
  const std::string path = placed_entry(kHit).path;
  out.path = bytes.find(name + path) + name.size();
  out.name = out.path - name.size();
  out.types = out.name - 14;
  out.begin = out.types - 2;
  out.end = out.types + static_cast<unsigned char>(bytes[out.begin]);
  EXPECT_EQ(bytes[out.begin + 1], kHit);
  EXPECT_EQ(bytes[out.types], 14);
  EXPECT_EQ(out.end - out.path, path.size() + 2 + 8 + 5 * 8 + 1 + 8) << "hash, checksum, place, time, seal";
  return out;
}

void flip(const std::filesystem::path& folder, const std::string& sound, std::size_t at, unsigned bit) {
  std::string bytes = sound;
  bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1U << bit));
  write_bytes(folder / "catalogue.sqlite", bytes);
  std::filesystem::remove(folder / "catalogue.sqlite-wal");
  std::filesystem::remove(folder / "catalogue.sqlite-shm");
}

/// Whether `action` gave no answer; `right` says whether the one it gave is as it was added.
template <typename Action>
bool refuses(const Action& action, bool& right) {
  try {
    right = action();
    return false;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadFile) << error.what();
    return true;
  }
}

TEST(IndexSeal, NoBitOfALineOnItsPageFlipsUnnoticed) {
  const TemporaryFolder folder;
  make_index(folder.path());
  const std::string sound = read_bytes(folder / "catalogue.sqlite");
  const Cell cell = cell_of(sound);
  for (std::size_t at = cell.begin; at < cell.end; ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      SCOPED_TRACE("bit " + std::to_string(bit) + " of byte " + std::to_string(at - cell.begin));
      flip(folder.path(), sound, at, bit);
      // SQLite does not look at the type of the row's own column: the cell has the row in front of it.
      EXPECT_TRUE(!problems_of(folder.path()).empty() || at == cell.types + 1);
      const bool is_value = at >= cell.name;
      bool right = true;
      const bool closed = refuses([&] { return Index::open(folder.path()).rows() == kSealRows; }, right);
      EXPECT_TRUE(right);
      if (closed) continue;
      const Index index = Index::open(folder.path());
      for (int row = 0; row < kSealRows; ++row) {
        const bool refused = refuses([&] { return is_as_added(index.entry(row), row); }, right);
        EXPECT_TRUE(right) << "entry " << row;
        EXPECT_TRUE(refused || row != kHit || !is_value);
        refuses([&] { return index.find(row_name(row)) == row; }, right);
        EXPECT_TRUE(right) << "find " << row;
      }
      const auto finds = [&](const SearchOptions& options, int row) {
        return index.search(row_content(row, kSealDim), options)[0].at(0).row == row;
      };
      EXPECT_TRUE(refuses([&] { return finds(best_only(), kHit); }, right) || !is_value);
      EXPECT_TRUE(right);
      EXPECT_TRUE(refuses([&] { return finds(near_the_first(), 0); }, right) || !is_value);
      EXPECT_TRUE(right);
    }
  }
}

// A flipped bit in SQLite's own list of names would lead from one name to the line of another.
TEST(IndexSeal, AListOfNamesThatWasChangedLeadsNowhere) {
  const TemporaryFolder folder;
  make_index(folder.path());
  const std::string sound = read_bytes(folder / "catalogue.sqlite");
  const Cell cell = cell_of(sound);
  const std::string name = row_name(kHit);
  std::size_t listed = sound.find(name);
  while (listed == cell.name || sound.compare(listed - 10, 10, "somewhere/") == 0) listed = sound.find(name, listed + 1);
  ASSERT_NE(listed, std::string::npos);
  flip(folder.path(), sound, listed + name.size(), 0);  // the row follows the name: 3 becomes 2
  expect_error([&] { Index::open(folder.path()).find(name); }, ErrorCode::kBadFile,
               "the lookup of row 2 does not match its line");
  IndexWriter writer = IndexWriter::open(folder.path(), settings_of(kSealDim));
  const auto refused = [&](auto&& action) { expect_error(action, ErrorCode::kBadFile, "the lookup of row 2"); };
  refused([&] { writer.find(name); });
  refused([&] { writer.place(name, std::nullopt, 1.0); });
  refused([&] { writer.add(placed_entry(kHit), row_content(kHit, kSealDim), true); });
}

TEST(IndexSeal, AddingThePhotoAgainMendsALineWhateverWasChanged) {
  const TemporaryFolder folder;
  make_index(folder.path());
  const auto catalogue = folder / "catalogue.sqlite";
  const std::string sound = read_bytes(catalogue);
  const std::string vectors = read_bytes(folder / "vectors.bin");
  const std::string codes = read_bytes(folder / "codes.i8");
  const Cell cell = cell_of(sound);
  const std::size_t after_path = cell.path + placed_entry(kHit).path.size();
  const std::vector<std::size_t> fields = {cell.types + 6,  // the type of live, which holds its value: 9 is 1, 8 is 0
                                           cell.name + 7,   cell.path + 17,  after_path,       after_path + 5, after_path + 14,
                                           after_path + 22, after_path + 30, cell.end - 9 - 1, cell.end - 9,   cell.end - 1};
  for (const std::size_t at : fields) {
    SCOPED_TRACE("byte " + std::to_string(at - cell.begin));
    flip(folder.path(), sound, at, 0);
    write_bytes(folder / "vectors.bin", vectors);
    write_bytes(folder / "codes.i8", codes);
    ASSERT_NE(problems_of(folder.path()), "");
    {
      IndexWriter writer = IndexWriter::open(folder.path(), settings_of(kSealDim));
      const auto add = [&](bool replace) { return writer.add(placed_entry(kHit), row_content(kHit, kSealDim), replace); };
      expect_error([&] { writer.find(row_name(kHit)); }, ErrorCode::kBadFile, kSays);
      expect_error([&] { writer.place(row_name(kHit), std::nullopt, 1.0); }, ErrorCode::kBadFile, kSays);
      expect_error([&] { add(false); }, ErrorCode::kUsage, "is already in index");
      bool changed = false;
      EXPECT_TRUE(writer.find(row_name(kHit), &changed));
      EXPECT_TRUE(changed);
      EXPECT_TRUE(is_as_added(*writer.find(row_name(2), &changed), 2));
      EXPECT_FALSE(changed);
      EXPECT_EQ(add(true), kSealRows);
      writer.commit();
    }
    EXPECT_EQ(problems_of(folder.path()), "");
    const Index index = Index::open(folder.path());
    EXPECT_EQ(index.live_rows(), kSealRows);
    EXPECT_EQ(index.find(row_name(kHit)), kSealRows);
    EXPECT_TRUE(is_as_added(index.entry(kSealRows), kHit));
    EXPECT_EQ(index.search(row_content(kHit, kSealDim), anywhere_after(-1))[0][0].row, kSealRows);
    const IndexEntry left = index.entry(kHit);
    EXPECT_EQ(left.name, row_name(kHit));
    EXPECT_FALSE(left.position || left.time_s || left.content_hash != 0 || !left.path.empty()) << "nothing that may be wrong";
  }
}

TEST(IndexSeal, WhatAWriterChangesIsSealedAgain) {
  const TemporaryFolder folder;
  make_index(folder.path());
  {
    IndexWriter writer = IndexWriter::open(folder.path(), settings_of(kSealDim));
    writer.place(row_name(1), Position{-0.0, 0.1, LatLon{-0.0, 180}, -0.0}, -0.0);
    writer.place(row_name(2), std::nullopt, std::nullopt);
    writer.add(placed_entry(kHit), row_content(kHit, kSealDim), true);
    writer.add(placed_entry(kHit), row_content(kHit, kSealDim), true);
    writer.place(row_name(kHit), Position{1e300, -1e-300, std::nullopt, std::nullopt}, 5e-324);
    writer.commit();
  }
  EXPECT_EQ(problems_of(folder.path()), "");
  const Index index = Index::open(folder.path());
  EXPECT_EQ(index.entry(1).position->geographic->lat_deg, 0);
  EXPECT_FALSE(index.entry(2).position);
  EXPECT_EQ(index.entry(7).time_s, 5e-324);
  EXPECT_EQ(index.live_rows(), kSealRows);
}

}  // namespace
}  // namespace revisit::testing

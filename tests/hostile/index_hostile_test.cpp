// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Forged index folders. Each must be refused with a sentence that names file, field and value, by reader and writer alike.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>

#include "index_fixtures.h"
#include "index_sql.h"

namespace revisit::testing {
namespace {

constexpr int kDim = 8;
constexpr int kRows = 6;

template <typename T>
void patch(const std::filesystem::path& file, std::size_t at, T value, bool repair_checksum = true) {
  std::string bytes = read_bytes(file);
  std::memcpy(bytes.data() + at, &value, sizeof(value));
  if (repair_checksum) {
    const std::uint64_t sum = XXH3_64bits(bytes.data(), 56);
    std::memcpy(bytes.data() + 56, &sum, sizeof(sum));
  }
  write_bytes(file, bytes);
}

void take_version_one(const std::filesystem::path& folder) {
  using std::filesystem::copy_options;  // tests run in the project's folder
  std::filesystem::copy("tests/data/index_v1", folder, copy_options::recursive | copy_options::overwrite_existing);
}

struct Case {
  const char* label;
  std::string part;  // of the sentence
  std::function<void(const std::filesystem::path& folder)> damage;
};

using Path = std::filesystem::path;

std::vector<Case> header_cases() {
  const auto file = [](const Path& folder) { return folder / "vectors.bin"; };
  return {
      {"magic", "does not start with the magic 'rvsitvec'", [=](const Path& f) { patch(file(f), 0, 'X'); }},
      {"version 0", "has version 0, the first is 1", [=](const Path& f) { patch(file(f), 8, std::uint32_t{0}); }},
      {"version 2", "has version 2, this program reads up to 1", [=](const Path& f) { patch(file(f), 8, std::uint32_t{2}); }},
      {"version 2^32-1", "has version 4294967295", [=](const Path& f) { patch(file(f), 8, ~std::uint32_t{0}); }},
      {"dtype", "has dtype 7, expected 1", [=](const Path& f) { patch(file(f), 12, std::uint32_t{7}); }},
      {"dim 0", "has dim 0, the limits are 1 and 65536", [=](const Path& f) { patch(file(f), 16, std::uint32_t{0}); }},
      {"dim 2^31", "has dim 2147483648", [=](const Path& f) { patch(file(f), 16, std::uint32_t{1} << 31U); }},
      {"dim 65537", "has dim 65537", [=](const Path& f) { patch(file(f), 16, std::uint32_t{65'537}); }},
      {"another dim", "has dim 9, the catalogue says 8", [=](const Path& f) { patch(file(f), 16, std::uint32_t{9}); }},
      {"smaller dim", "has dim 7, the catalogue says 8", [=](const Path& f) { patch(file(f), 16, std::uint32_t{7}); }},
      {"header bytes", "has a header of 65 bytes", [=](const Path& f) { patch(file(f), 20, std::uint32_t{65}); }},
      {"identity", "belongs to another index", [=](const Path& f) { patch(file(f), 24, std::uint64_t{1}); }},
      {"header checksum", "has the header checksum",
       [=](const Path& f) { patch(file(f), 30, static_cast<char>(~read_bytes(file(f))[30]), false); }},
      {"reserved byte", "has the header checksum", [=](const Path& f) { patch(file(f), 40, 'X', false); }},
      {"empty", "magic needs 8 bytes at byte 0, but only 0 are left", [=](const Path& f) { write_bytes(file(f), ""); }},
      {"63 bytes", "header checksum needs 8 bytes at byte 56, but only 7 are left",
       [=](const Path& f) { write_bytes(file(f), read_bytes(file(f)).substr(0, 63)); }},
      {"row missing", "has 255 bytes, but the catalogue counts 6 rows, which need 256",
       [=](const Path& f) { write_bytes(file(f), read_bytes(file(f)).substr(0, 255)); }},
      {"file missing", "vectors.bin", [=](const Path& f) { std::filesystem::remove(file(f)); }},
      {"link", "vectors.bin' is a link, not a regular file",
       [=](const Path& f) {
         std::filesystem::rename(file(f), f / "elsewhere");
         std::filesystem::create_symlink(f / "elsewhere", file(f));
       }},
      {"folder", "vectors.bin' is a folder",
       [=](const Path& f) {
         std::filesystem::remove(file(f));
         std::filesystem::create_directory(file(f));
       }},
      {"pipe", "vectors.bin' is a device or pipe",
       [=](const Path& f) {
         std::filesystem::remove(file(f));
         ASSERT_EQ(::mkfifo(file(f).c_str(), 0644), 0);
       }},
  };
}

std::vector<Case> catalogue_cases() {
  const auto file = [](const Path& folder) { return folder / "catalogue.sqlite"; };
  const auto run = [](const std::string& statements) { return [=](const Path& f) { sql(f, statements); }; };
  return {
      {"not a database", "file is not a database", [=](const Path& f) { write_bytes(file(f), std::string(8192, 'x')); }},
      {"text", "file is not a database", [=](const Path& f) { write_bytes(file(f), "hello, this is not a database at all\n"); }},
      {"cut in the middle", "catalogue.sqlite",
       [=](const Path& f) { write_bytes(file(f), read_bytes(file(f)).substr(0, 6000)); }},
      {"link", "catalogue.sqlite' is a link",
       [=](const Path& f) {
         std::filesystem::rename(file(f), f / "elsewhere");
         std::filesystem::create_symlink(f / "elsewhere", file(f));
       }},
      {"log is a link", "catalogue.sqlite-wal' is a link",
       [=](const Path& f) { std::filesystem::create_symlink("/dev/null", f / "catalogue.sqlite-wal"); }},
      {"folder", "catalogue.sqlite' is a folder",
       [=](const Path& f) {
         std::filesystem::remove(file(f));
         std::filesystem::create_directory(file(f));
       }},
      {"database of another program", "application id 5", run("PRAGMA application_id = 5")},
      {"newer", "has version 4, this program reads up to 3", run("PRAGMA user_version = 4")},
      {"without local features", "has a schema that is not version 3: at 'photos'", run("PRAGMA user_version = 3")},
      {"newer than it is", "has a schema that is not version 2: at 'photos'",
       [=](const Path& f) { take_version_one(f), sql(f, "PRAGMA user_version = 2"); }},
      {"older than it is", "has a schema that is not version 1: at 'photos'", run("PRAGMA user_version = 1")},
      {"trigger in version 1", "has a schema that is not version 1: at 'zzz'",
       [=](const Path& f) {
         take_version_one(f);
         sql(f, "CREATE TRIGGER zzz AFTER UPDATE ON photos BEGIN DELETE FROM photos; END");
       }},
      {"negative version", "has version -1", run("PRAGMA user_version = -1")},
      {"table missing", "has a schema that is not version 2", run("DROP TABLE settings")},
      {"index missing", "has a schema that is not version 2", run("DROP INDEX photos_by_name")},
      {"extra table", "has a schema that is not version 2: at 'aaa'", run("CREATE TABLE aaa (x)")},
      {"trigger", "has a schema that is not version 2: at 'zzz'",
       run("CREATE TRIGGER zzz AFTER INSERT ON photos BEGIN DELETE FROM photos; END")},
      {"view for a table", "has a schema that is not version 2",
       run("ALTER TABLE photos RENAME TO p; CREATE VIEW photos AS SELECT * FROM p")},
      {"extra column", "has a schema that is not version 2: at 'photos'", run("ALTER TABLE photos ADD COLUMN x")},
      {"setting missing", "setting 'model' is missing", run("DELETE FROM settings WHERE key = 'model'")},
      {"dim text", "setting 'dim' is not an integer", run("UPDATE settings SET value = 'eight' WHERE key = 'dim'")},
      {"dim 0", "setting 'dim' is 0, the limits are 1 and 65536", run("UPDATE settings SET value = 0 WHERE key = 'dim'")},
      {"dim 2^31", "setting 'dim' is 2147483648", run("UPDATE settings SET value = 2147483648 WHERE key = 'dim'")},
      {"dim -1", "setting 'dim' is -1", run("UPDATE settings SET value = -1 WHERE key = 'dim'")},
      {"rho 2", "setting 'rho' is '2.0'", run("UPDATE settings SET value = 2.0 WHERE key = 'rho'")},
      {"spread 0", "setting 'spread' is '0'", run("INSERT OR REPLACE INTO settings VALUES ('spread', 0)")},
      {"rho infinite", "rho' is 'Inf'", run("UPDATE settings SET value = 9e999 WHERE key = 'rho'")},
      {"size", "setting 'size' is '100000x14'", run("UPDATE settings SET value = '100000x14' WHERE key = 'size'")},
      {"constants", "model_constants has 900000 bytes",
       run("UPDATE settings SET value = printf('%.900000c', 'x') WHERE key = 'model_constants'")},
      {"model with NUL", "model contains a NUL byte",
       run("UPDATE settings SET value = CAST(x'610062' AS TEXT) WHERE key = 'model'")},
      {"model a megabyte", "model has 900000 bytes, the limit is 4096",
       run("UPDATE settings SET value = printf('%.900000c', 'x') WHERE key = 'model'")},
      {"value of 3 MB", "too big", run("UPDATE settings SET value = printf('%.3000000c', 'x') WHERE key = 'model'")},
      {"identity", "belongs to another index", run("UPDATE settings SET value = 1 WHERE key = 'identity'")},
      {"row too many", "but the catalogue counts 7 rows", run("INSERT INTO photos SELECT 6, 'x', '', 1, 1, 1, 0,0,0,0,0,0, 0")},
      {"gap", "counts 5 rows, but they are numbered 0 to 5", run("DELETE FROM photos WHERE row = 3")},
      {"negative row", "numbered -1 to 5", run("UPDATE photos SET row = -1 WHERE row = 0")},
      {"huge row", "numbered 0 to 9223372036854775807", run("UPDATE photos SET row = 9223372036854775807 WHERE row = 5")},
      {"name with NUL", "name of row 2 contains a NUL byte",
       run("UPDATE photos SET name = CAST(x'610062' AS TEXT) WHERE row = 2")},
      {"name of 4097 bytes", "name of row 2 has 4097 bytes, the limit is 4096",
       run("UPDATE photos SET name = printf('%.4097c', 'x') WHERE row = 2")},
      {"name empty", "name of row 4 is empty", run("UPDATE photos SET name = '' WHERE row = 4")},
      {"name a blob", "name of row 2 is not text", run("UPDATE photos SET name = x'6162' WHERE row = 2")},
  };
}

// Whatever the damage is, verify must see it, and neither reader nor writer may go on.
void expect_refused(const Case& one) {
  SCOPED_TRACE(one.label);
  const TemporaryFolder folder;
  add_rows(folder.path(), 0, kRows, kDim);
  one.damage(folder.path());
  const auto refuse = [&](const char* who, const std::function<void()>& action) {
    try {
      action();
      ADD_FAILURE() << one.label << " was accepted by the " << who;
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == ErrorCode::kBadFile || error.code() == ErrorCode::kNotFound ||
                  error.code() == ErrorCode::kMismatch)
          << error.what();
      const bool mismatch = error.code() == ErrorCode::kMismatch;
      EXPECT_TRUE(mismatch || std::string(error.what()).find(one.part) != std::string::npos)
          << who << ": " << error.what() << "\nexpected: " << one.part;
    }
  };
  refuse("reader", [&] { Index::open(folder.path()); });
  refuse("writer", [&] { IndexWriter::open(folder.path(), settings_of(kDim)); });
  EXPECT_NE(problems_of(folder.path()).find(one.part), std::string::npos) << problems_of(folder.path());
}

TEST(IndexHostile, VectorFilesThatLieAreRefusedByFieldAndValue) {
  for (const Case& one : header_cases()) expect_refused(one);
}

TEST(IndexHostile, CataloguesThatLieAreRefusedByFieldAndValue) {
  for (const Case& one : catalogue_cases()) expect_refused(one);
}

TEST(IndexHostile, AtLeastFiftyKindsAreTried) { EXPECT_GE(header_cases().size() + catalogue_cases().size(), 50U); }

// Damage to one line is found when the line is read, and by verify, which names the row.
TEST(IndexHostile, LinesThatLieAreFoundByRow) {
  const auto expect_row = [](const std::string& statement, const std::string& part) {
    SCOPED_TRACE(statement);
    const TemporaryFolder folder;
    add_rows(folder.path(), 0, kRows, kDim);
    sql(folder.path(), statement);
    const auto problems = verify_index(folder.path());
    ASSERT_FALSE(problems.empty());
    EXPECT_EQ(problems[0].row, 3);
    EXPECT_NE(problems[0].what.find(part), std::string::npos) << problems[0].what;
    const Index index = Index::open(folder.path());
    expect_error([&] { index.entry(3); }, ErrorCode::kBadFile, part);
    EXPECT_EQ(index.entry(2).name, row_name(2));
  };
  expect_row("UPDATE photos SET path = x'00' WHERE row = 3", "path of row 3 is not text");
  expect_row("UPDATE photos SET path = printf('%.4097c', 'x') WHERE row = 3", "path of row 3 has 4097 bytes");
  expect_row("UPDATE photos SET content_hash = 'x' WHERE row = 3", "content_hash of row 3 is not an integer");
  expect_row("UPDATE photos SET time_s = 9e999 WHERE row = 3", "time_s of row 3 is inf");
  expect_row("UPDATE photos SET time_s = 'noon' WHERE row = 3", "time_s of row 3 is not a number");
  expect_row("UPDATE photos SET lat_deg = 1 WHERE row = 3", "the position of row 3 has only some of its numbers");
  expect_row("UPDATE photos SET east_m = 1, north_m = 1, lat_deg = 100, lon_deg = 1 WHERE row = 3", "is off the globe");
}

TEST(IndexHostile, VerifyFindsWrongChecksumsNumbersNamesAndCodes) {
  const auto expect_found = [](const std::string& part, const std::function<void(const Path&)>& damage) {
    const TemporaryFolder folder;
    add_rows(folder.path(), 0, kRows, kDim);
    damage(folder.path());
    EXPECT_NE(problems_of(folder.path()).find(part), std::string::npos) << part << ", found: " << problems_of(folder.path());
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::size_t code_row = 64 + 3 * (16 + 64);
  expect_found("row 3 has the checksum", [](const Path& f) { patch(f / "vectors.bin", 64 + 3 * 32 + 5, 'X', false); });
  expect_found("row 3 holds nan at position 2", [=](const Path& f) { patch(f / "vectors.bin", 64 + 3 * 32 + 8, nan, false); });
  expect_found("the catalogue says 0000000000000005",
               [](const Path& f) { sql(f, "UPDATE photos SET checksum = 5 WHERE row = 1"); });
  expect_found("checksum of row 1 is not an integer",
               [](const Path& f) { sql(f, "UPDATE photos SET checksum = 'a' WHERE row = 1"); });
  expect_found("stands for 2 rows", [](const Path& f) { sql(f, "UPDATE photos SET name = 'photos/1.jpg' WHERE row = 2"); });
  expect_found("live of row 1 is neither 0 nor 1", [](const Path& f) { sql(f, "UPDATE photos SET live = 7 WHERE row = 1"); });
  expect_found("codes of row 3 do not belong to it", [=](const Path& f) { patch(f / "codes.i8", code_row, 2.0F, false); });
  expect_found("codes of row 3 do not belong to it", [=](const Path& f) { patch(f / "codes.i8", code_row + 4, 0.0F, false); });
  expect_found("codes of row 3 do not belong to it", [=](const Path& f) { patch(f / "codes.i8", code_row + 4, nan, false); });
  expect_found("codes of row 3 do not belong to it", [=](const Path& f) { patch(f / "codes.i8", code_row + 8, 9.0, false); });
  expect_found("codes of row 3 do not belong to it", [=](const Path& f) { patch(f / "codes.i8", code_row + 16, '\x01', false); });
  expect_found("codes of row 3 do not belong to it",
               [=](const Path& f) { patch(f / "codes.i8", code_row + 16 + 9, '\x01', false); });
  expect_found("codes.i8' has dim 9", [](const Path& f) { patch(f / "codes.i8", 16, std::uint32_t{9}); });
  expect_found("codes.i8' is a link", [](const Path& f) {
    std::filesystem::rename(f / "codes.i8", f / "elsewhere");
    std::filesystem::create_symlink(f / "elsewhere", f / "codes.i8");
  });
}

TEST(IndexHostile, RowsWithoutACatalogueAreNotOverwritten) {
  const TemporaryFolder folder;
  add_rows(folder.path(), 0, kRows, kDim);
  const std::string vectors = read_bytes(folder / "vectors.bin");
  std::filesystem::remove(folder / "catalogue.sqlite");
  expect_error([&] { IndexWriter::open(folder.path(), settings_of(kDim)); }, ErrorCode::kBadFile, "has 192 bytes of rows, but");
  EXPECT_EQ(read_bytes(folder / "vectors.bin"), vectors);
}

TEST(IndexHostile, AVectorFileOfAnotherIndexIsNotCut) {
  const TemporaryFolder one, two;
  add_rows(one.path(), 0, 2, kDim);
  add_rows(two.path(), 0, kRows, kDim);
  std::filesystem::copy_file(two / "vectors.bin", one / "vectors.bin", std::filesystem::copy_options::overwrite_existing);
  expect_error([&] { IndexWriter::open(one.path(), settings_of(kDim)); }, ErrorCode::kBadFile, "belongs to another index");
  EXPECT_EQ(read_bytes(one / "vectors.bin"), read_bytes(two / "vectors.bin"));
}

TEST(IndexHostile, ALockThatIsALinkIsNotFollowed) {
  const TemporaryFolder folder;
  add_rows(folder.path(), 0, 1, kDim);
  write_bytes(folder / "precious", "keep me");
  std::filesystem::remove(folder / "lock");
  std::filesystem::create_symlink(folder / "precious", folder / "lock");
  expect_error([&] { IndexWriter::open(folder.path(), settings_of(kDim)); }, ErrorCode::kBadFile, "lock' is a link");
  EXPECT_EQ(read_bytes(folder / "precious"), "keep me");
}

// Bits of the catalogue changed one at a time: any answer but a crash, a hang or a wrong entry.
TEST(IndexHostile, ACatalogueWithAnyBitChangedNeverCrashesOrTellsWhatWasNotAdded) {
  const TemporaryFolder folder;
  add_rows(folder.path(), 0, kRows, kDim);
  const std::string sound = read_bytes(folder / "catalogue.sqlite");
  std::mt19937 random(3);
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    std::string bytes = sound;
    const std::size_t at = i < 100 ? static_cast<std::size_t>(i) : random() % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1U << (random() % 8)));
    write_bytes(folder / "catalogue.sqlite", bytes);
    try {
      const Index index = Index::open(folder.path());
      for (int r = 0; r < index.rows(); ++r) {
        const IndexEntry entry = index.entry(r);
        EXPECT_TRUE(entry.name == row_name(r) && entry.path == row_entry(r).path && entry.time_s == r) << "bit of byte " << at;
      }
      for (int r = 0; r < index.rows(); ++r) EXPECT_EQ(index.find(row_name(r)).value_or(r), r) << "bit of byte " << at;
      index.search(row_content(1, kDim), {});
    } catch (const Error&) {
      ++refused;
    }
    verify_index(folder.path());
    std::filesystem::remove(folder / "catalogue.sqlite-wal");
    std::filesystem::remove(folder / "catalogue.sqlite-shm");
  }
  EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace revisit::testing

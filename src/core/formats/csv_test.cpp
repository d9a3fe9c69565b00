// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// RFC 4180, the ways files differ from it, and limits at their value, one below and one above.
#include "core/formats/csv.h"

#include <gtest/gtest.h>

#include "core/base/limits.h"
#include "core/base/random.h"
#include "test_files.h"

namespace revisit {
namespace {

using testing::expect_error;

std::vector<std::vector<std::string>> rows_of(const std::string& text, std::size_t columns) {
  CsvReader csv(text, "t.csv");
  std::vector<std::vector<std::string>> out;
  while (csv.next()) {
    auto& row = out.emplace_back();
    for (std::size_t i = 0; i < columns; ++i) row.push_back(csv.cell(i));
  }
  return out;
}

using Rows = std::vector<std::vector<std::string>>;

TEST(Csv, ReadsPlainRows) { EXPECT_EQ(rows_of("a,b\n1,2\n3,4\n", 2), (Rows{{"1", "2"}, {"3", "4"}})); }

TEST(Csv, ReadsQuotesCommasAndLineBreaksInsideCells) {
  EXPECT_EQ(rows_of("a,b\n\"x,\"\"y\"\"\",\"1\n2\"\n\"\",\n", 2), (Rows{{"x,\"y\"", "1\n2"}, {"", ""}}));
}

TEST(Csv, AcceptsCrLfLoneCrByteOrderMarkAndNoLastLineEnd) {
  EXPECT_EQ(rows_of("\xEF\xBB\xBF"
                    "a,b\r\n1,2\r\n\r\n3,4",
                    2),
            (Rows{{"1", "2"}, {"3", "4"}}));
  EXPECT_EQ(rows_of("a,b\r1,2\r", 2), (Rows{{"1", "2"}}));
}

TEST(Csv, FindsColumnsWhateverTheirCase) {
  CsvReader csv(" Query ,LAT\n", "t.csv");
  EXPECT_EQ(csv.column({"query"}), 0U);
  EXPECT_EQ(csv.column({"latitude", "lat"}), 1U);
  EXPECT_FALSE(csv.column({"lon"}));
  expect_error([&] { csv.required_column({"lon"}); }, ErrorCode::kBadFile, "'t.csv' has no column 'lon'");
}

TEST(Csv, NamesTheLineOfAnErrorAlsoAfterLineBreaksInCells) {
  expect_error([] { rows_of("a,b\n\"1\n1\",2\n\n3\n", 2); }, ErrorCode::kBadFile,
               "'t.csv', line 5: 1 cells where the first line has 2");
}

TEST(Csv, RefusesWhatIsNoCsv) {
  expect_error([] { rows_of("", 0); }, ErrorCode::kBadFile, "is empty");
  expect_error([] { rows_of("\n\r\n", 0); }, ErrorCode::kBadFile, "is empty");
  expect_error([] { rows_of("a,b\n\"1,2\n", 2); }, ErrorCode::kBadFile, "line 2: the quote that opens cell 1 is never closed");
  expect_error([] { rows_of("a,b\n1,2\"3\n", 2); }, ErrorCode::kBadFile, "line 2: a quote inside cell 2");
  expect_error([] { rows_of("a,b\n\"1\"x,2\n", 2); }, ErrorCode::kBadFile, "text follows the closing quote");
  expect_error([] { rows_of(std::string("a,b\n1,\0002\n", 9), 2); }, ErrorCode::kBadFile, "zero byte");
  expect_error([] { rows_of(std::string("a,b\n1,\"\0002\"\n", 11), 2); }, ErrorCode::kBadFile, "zero byte");
  expect_error(
      [] {
        rows_of(
            "\xFF\xFE"
            "a",
            1);
      },
      ErrorCode::kBadFile, "UTF-16");
  expect_error([] { rows_of("a,b,A\n", 1); }, ErrorCode::kBadFile, "'a' appears twice");
}

TEST(Csv, KeepsFormulasAndInvalidUtf8AsText) { EXPECT_EQ(rows_of("a\n=1+1\n\xFF\xC0\n", 1), (Rows{{"=1+1"}, {"\xFF\xC0"}})); }

TEST(Csv, CellsOfTextAreNeitherFormulasNorCommandsOfATerminal) {
  for (const auto* plain : {"", "a.jpg", "sub/b c.jpg", "5", "a=b-c", "'quoted'", "Caf\xC3\xA9.jpg"})
    EXPECT_EQ(csv_cell(plain), plain);
  EXPECT_EQ(csv_cell("=1+1"), "'=1+1");
  EXPECT_EQ(csv_cell("+1"), "'+1");
  EXPECT_EQ(csv_cell("-5.jpg"), "'-5.jpg");
  EXPECT_EQ(csv_cell("@x"), "'@x");
  EXPECT_EQ(csv_cell("@SUM(1)@2@"), "'@SUM(1)@2@");
  EXPECT_EQ(csv_cell("@1@x@"), "'@1@x@");
  EXPECT_EQ(csv_cell("'@1@2@"), "''@1@2@");
  for (const auto* named : {"@0499985.13@5300014.48@32@T@.jpg", "@-1.5@2@.png"}) EXPECT_EQ(csv_cell(named), named);
  EXPECT_EQ(csv_cell("\xEF\xBC\x9Dsum"), "'\xEF\xBC\x9Dsum");
  EXPECT_EQ(csv_cell("  =1"), "'  =1");
  EXPECT_EQ(csv_cell(" a "), "\" a \"") << "some readers trim";
  EXPECT_EQ(csv_cell("'=1"), "''=1") << "the file's own apostrophe";
  EXPECT_EQ(csv_cell("=cmd|' /C calc'!A0,\"x\""), "\"'=cmd|' /C calc'!A0,\"\"x\"\"\"");
  EXPECT_EQ(csv_cell("a;b"), "\"a;b\"") << "the separator of other countries";
  EXPECT_EQ(csv_cell("\t=1"), "\\x09=1");
  EXPECT_EQ(csv_cell("a\nb\x1B[2J"), "a\\x0ab\\x1b[2J");
}

TEST(Csv, CellsOfTextComeBackByteForByte) {
  constexpr std::string_view kBytes("''''==+-@@@12  ;,\"\"\\\\\\xx05abcf\n\r\t\x1B\x7F\xFF\xEF\xBC\x9D\xC3\xA9.");
  SplitMix random(11);
  for (int i = 0; i < 20'000; ++i) {
    std::string name;
    for (std::size_t length = random.below(9); name.size() < length;) name += kBytes[random.below(kBytes.size())];
    const std::string text = "a,b,c\n" + csv_cell(name) + ",-1," + csv_cell(name) + "\n";
    CsvReader csv(text, "t.csv");
    ASSERT_TRUE(csv.next()) << text;
    ASSERT_EQ(csv.text(0), name) << text;
    ASSERT_EQ(csv.text(2), name) << text;
    ASSERT_FALSE(csv.next()) << text;
  }
}

TEST(Csv, LimitsColumns) {
  const auto header = [](std::size_t columns) { return std::string(columns - 1, ',') + "\n"; };
  for (const std::size_t ok : {limits::kMaxCsvColumns - 1, limits::kMaxCsvColumns})
    EXPECT_NO_THROW(rows_of("x" + header(ok), 0)) << ok;
  expect_error([&] { rows_of("x" + header(limits::kMaxCsvColumns + 1), 0); }, ErrorCode::kLimit, "more than 256 columns");
}

TEST(Csv, LimitsTheBytesOfARowQuotedOrNot) {
  for (const std::size_t ok : {limits::kMaxCsvRowBytes - 1, limits::kMaxCsvRowBytes})
    EXPECT_EQ(rows_of("a\n" + std::string(ok, 'x') + "\n", 1).size(), 1U);
  const std::string long_row(limits::kMaxCsvRowBytes + 1, 'x');
  expect_error([&] { rows_of("a\n" + long_row + "\n", 1); }, ErrorCode::kLimit, "line 2: a row of more than 1000000 bytes");
  expect_error([&] { rows_of("a\n\"" + long_row + "\"\n", 1); }, ErrorCode::kLimit, "a row of more than");
  std::string lines = "a\n\"";
  for (std::size_t i = 0; i < limits::kMaxCsvRowBytes; ++i) lines += '\n';
  expect_error([&] { rows_of(lines + "x\"\n", 1); }, ErrorCode::kLimit, "a row of more than");
}

}  // namespace
}  // namespace revisit

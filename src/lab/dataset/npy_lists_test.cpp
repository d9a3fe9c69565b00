// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Texts and integers of every width, byte order and memory order. Object arrays as numpy writes them are among the recorded
// cases.
#include "lab/dataset/npy_lists.h"

#include <gtest/gtest.h>

#include "test_files.h"

namespace revisit::dataset {
namespace {

using testing::expect_error;
using testing::npy_file;
using testing::view_of;
using Integers = std::vector<std::int64_t>;
using IntegerLists = std::vector<Integers>;

TEST(NpyTexts, ReadUtf32OfBothByteOrdersAndBytes) {
  EXPECT_EQ(parse_npy_texts(view_of(testing::npy_texts({"a.jpg", "bc", ""})), "t"),
            (std::vector<std::string>{"a.jpg", "bc", ""}));
  EXPECT_EQ(parse_npy_texts(view_of(npy_file(">U1", "(2,)", std::string("\0\0\0a\0\1\xF6\0", 8))), "t"),
            (std::vector<std::string>{"a", "\xF0\x9F\x98\x80"}));
  EXPECT_EQ(parse_npy_texts(view_of(npy_file("|S2", "(2,)", std::string("ab\0\0", 4))), "t"),
            (std::vector<std::string>{"ab", ""}));
}

TEST(NpyTexts, RefuseWhatIsNoText) {
  expect_error([] { parse_npy_texts(view_of(npy_file("<U1", "(1,)", std::string("\0\xD8\0\0", 4))), "t"); }, ErrorCode::kBadFile,
               "U+D800");
  expect_error([] { parse_npy_texts(view_of(npy_file("<U1", "(1,)", std::string("\0\0\x11\0", 4))), "t"); }, ErrorCode::kBadFile,
               "U+110000");
  expect_error([] { parse_npy_texts(view_of(npy_file("<i8", "(0,)", "")), "t"); }, ErrorCode::kBadFile, "'<i8', not texts");
  expect_error([] { parse_npy_texts(view_of(npy_file("<U1x", "(0,)", "")), "t"); }, ErrorCode::kBadFile, "not texts");
  expect_error([] { parse_npy_texts(view_of(npy_file("<U", "(0,)", "")), "t"); }, ErrorCode::kBadFile, "not texts");
  expect_error([] { parse_npy_texts(view_of(npy_file("<U0", "(4000000000,)", "")), "t"); }, ErrorCode::kBadFile, "of no length");
  expect_error([] { parse_npy_texts(view_of(npy_file("<U1", "(2,)", "abcd")), "t"); }, ErrorCode::kBadFile, "announces 8 bytes");
  expect_error([] { parse_npy_texts(view_of(npy_file("<U1", "(1,1)", "abcd")), "t"); }, ErrorCode::kBadFile,
               "2 dimensions, not 1");
  expect_error([] { parse_npy_texts(view_of(npy_file("<U9999999999999999999", "(9999999999,)", "")), "t"); }, ErrorCode::kLimit,
               "overflows");
}

TEST(NpyIntegers, ReadEveryWidthSignAndByteOrder) {
  EXPECT_EQ(parse_npy_integers(view_of(npy_file("<i2", "(2,)", std::string("\xFF\xFF\1\2", 4))), "t"), (Integers{-1, 513}));
  EXPECT_EQ(parse_npy_integers(view_of(npy_file(">u2", "(2,)", std::string("\xFF\xFF\1\2", 4))), "t"), (Integers{65535, 258}));
  EXPECT_EQ(parse_npy_integers(view_of(npy_file("|u1", "(2,)", "\x01\xFE")), "t"), (Integers{1, 254}));
  EXPECT_EQ(parse_npy_integers(view_of(npy_file("|i1", "(1,)", "\xFE")), "t"), (Integers{-2}));
  EXPECT_EQ(parse_npy_integers(view_of(npy_file("<u8", "(1,)", std::string(8, '\xFF'))), "t"), (Integers{-1}));
  expect_error([] { parse_npy_integers(view_of(npy_file("<f4", "(1,)", "abcd")), "t"); }, ErrorCode::kBadFile,
               "'<f4', not integers");
  expect_error([] { parse_npy_integers(view_of(npy_file("<i3", "(1,)", "abc")), "t"); }, ErrorCode::kBadFile, "not integers");
}

TEST(NpyLists, ReadRowsOfEitherMemoryOrder) {
  EXPECT_EQ(parse_npy_lists(view_of(npy_file("|u1", "(2, 3)", "\1\2\3\4\5\6")), "t"), (IntegerLists{{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(parse_npy_lists(view_of(npy_file("|u1", "(2, 3)", "\1\2\3\4\5\6", true)), "t"), (IntegerLists{{1, 3, 5}, {2, 4, 6}}));
  EXPECT_EQ(parse_npy_lists(view_of(npy_file("<i8", "(2, 0)", "")), "t"), (IntegerLists{{}, {}}));
  expect_error([] { parse_npy_lists(view_of(npy_file("<i8", "(9000000000, 0)", "")), "t"); }, ErrorCode::kLimit, "rows");
  expect_error([] { parse_npy_lists(view_of(npy_file("<i8", "(1,)", std::string(8, '\0'))), "t"); }, ErrorCode::kBadFile,
               "1 dimensions, not 2");
}

}  // namespace
}  // namespace revisit::dataset

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// dbStruct files of both byte orders, compressed or not, and those that contradict themselves.
#include "lab/dataset/dbstruct.h"

#include <gtest/gtest.h>

#include "test_files.h"
#include "lab/dataset/test_mat.h"

namespace revisit::dataset {
namespace {

using testing::expect_error;
using testing::MatWriter;
using testing::view_of;

TEST(DbStructs, ReadBothByteOrdersCompressedOrNot) {
  for (const bool big_endian : {false, true}) {
    const MatWriter mat(big_endian);
    const std::string data = mat.structure("dbStruct", mat.fields(10));
    const std::string other = mat.matrix(6, {1, 1}, "other", mat.element(9, mat.number(1.0)));
    for (const auto& file : {mat.file(data), mat.file(mat.compressed(data)), mat.file(other + mat.compressed(data))}) {
      const DbStruct found = parse_dbstruct(view_of(file), "t.mat");
      EXPECT_EQ(found.which_set, "test");
      EXPECT_EQ(found.references, (std::vector<std::string>{"000/a.jpg", "000/b.jpg"}));
      EXPECT_EQ(found.queries, std::vector<std::string>{"000/q.jpg"});
      EXPECT_DOUBLE_EQ(found.reference_places[1].north_m, 30);
      EXPECT_DOUBLE_EQ(found.query_places[0].north_m, 5);
      EXPECT_DOUBLE_EQ(found.threshold_m, 10);
    }
  }
}

TEST(DbStructs, RefuseFilesThatContradictThemselves) {
  const MatWriter mat;
  const auto refused = [&](std::size_t field, const std::string& value, const std::string& part) {
    auto fields = mat.fields();
    fields[field].second = value;
    const std::string file = mat.file(mat.structure("dbStruct", fields));
    expect_error([&] { parse_dbstruct(view_of(file), "t.mat"); }, ErrorCode::kBadFile, part);
  };
  refused(1, mat.text("one"), "no field 'dbImage' with names");
  refused(1, mat.matrix(1, {1, 1}, "", mat.doubles({1, 1}, {1})), "a cell of class 6, not a text");
  refused(2, mat.doubles({2, 1}, {0, 0}), "dbStruct.utmDb is 2 x 1, not 2 x 2");
  refused(2, mat.doubles({2, 2}, {0, 0, 0, 1e12}), "has the place");
  refused(2, mat.matrix(6, {2, 2}, "", mat.element(9, mat.number(1.0))), "not the 4 numbers of its dimensions");
  refused(5, mat.doubles({1, 1}, {3}), "numImages is not 2");
  refused(7, mat.doubles({1, 1}, {-1}), "posDistThr is not a distance");
  auto twice = mat.fields();
  twice[7].first = "utmQ";
  expect_error([&] { parse_dbstruct(view_of(mat.file(mat.structure("dbStruct", twice))), "t"); }, ErrorCode::kBadFile,
               "appears twice");
  expect_error([&] { parse_dbstruct(view_of(mat.file(mat.structure("else", mat.fields()))), "t"); }, ErrorCode::kBadFile,
               "no variable 'dbStruct'");
  expect_error(
      [&] {
        parse_dbstruct(view_of(mat.file(mat.matrix(6, {1, 1}, "dbStruct", ""))), "t");
      },
      ErrorCode::kBadFile, "is not a struct");
  expect_error([&] { parse_dbstruct(view_of(std::string(200, 'x')), "t"); }, ErrorCode::kBadFile, "not a .mat file of version 5");
}

}  // namespace
}  // namespace revisit::dataset

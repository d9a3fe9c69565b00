// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Every version ever written stays readable: tests/data/index_vN is never changed once there.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "index_fixtures.h"
#include "revisit/index.h"

namespace revisit {
namespace {

using testing::add_rows;
using testing::expect_whole_rows;
using testing::problems_of;
using testing::row_content;
using testing::TemporaryFolder;

TEST(IndexCompatibility, VersionOneReadsAsItWasWritten) {
  const std::filesystem::path kept = "tests/data/index_v1";  // tests run in the project's folder
  ASSERT_TRUE(std::filesystem::exists(kept));
  const TemporaryFolder folder;
  std::filesystem::copy(kept, folder.path(), std::filesystem::copy_options::recursive);
  EXPECT_EQ(problems_of(folder.path()), "");
  Index index = Index::open(folder.path());
  expect_whole_rows(index, 7);
  EXPECT_EQ(index.live_rows(), 6);
  EXPECT_FALSE(index.is_live(4));
  EXPECT_EQ(index.settings().model, "models/a.safetensors");
  EXPECT_EQ(index.settings().spec.size, (Size{322, 322}));
  EXPECT_FALSE(index.settings().spec.model_identity) << "format 1 knows the weights alone";
  EXPECT_EQ(index.settings().model_constants.at("fingerprint"), "f00d");
  EXPECT_EQ(index.entry(2).position->geographic->lat_deg, 48.25);
  EXPECT_EQ(index.entry(2).position->heading_deg, 90.5);
  EXPECT_EQ(index.search(row_content(3, 16), {})[0][0].row, 3);
  add_rows(folder.path(), 7, 9, 16);
  EXPECT_EQ(index.refresh(), 2);
  expect_whole_rows(index, 9);
}

}  // namespace
}  // namespace revisit

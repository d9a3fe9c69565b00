// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Folders and tensors. Photos themselves are tested through the program.
#include "cli/inputs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <string>

#include "core/formats/npy.h"

namespace revisit::cli {
namespace {

namespace fs = std::filesystem;

class Inputs : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("revisit_inputs_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void touch(const std::string& name) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << "x";
  }
  std::string reason(const fs::path& path) {
    const auto loaded = load_input(path, {});
    const auto* skipped = std::get_if<Skipped>(&loaded.content);
    return skipped != nullptr ? skipped->reason : "";
  }

  fs::path folder_;
};

TEST_F(Inputs, FoldersGiveTheirPicturesSortedAndCountTheRest) {
  for (const auto* name : {"b/z.PNG", "b/a.jpg", "a.webp", "c.jpeg", "notes.txt", "b/list.csv"}) touch(name);
  const auto list = expand_inputs({folder_.string(), "later.jpg"});
  ASSERT_EQ(list.paths.size(), 5U);
  EXPECT_EQ(list.paths[0], folder_ / "a.webp");
  EXPECT_EQ(list.paths[1], folder_ / "b/a.jpg");
  EXPECT_EQ(list.paths[2], folder_ / "b/z.PNG");
  EXPECT_EQ(list.paths[3], folder_ / "c.jpeg");
  EXPECT_EQ(list.paths[4], "later.jpg");
  EXPECT_EQ(list.others.count(), 2U);
  EXPECT_TRUE(list.has_folder);
}

TEST_F(Inputs, AFolderWithoutPicturesIsNamed) {
  touch("notes.txt");
  const auto list = expand_inputs({folder_.string()});
  ASSERT_EQ(list.unreadable.size(), 1U);
  EXPECT_EQ(list.unreadable[0].path, folder_.string());
}

TEST_F(Inputs, LinksBetweenFoldersDoNotTrapTheWalk) {
  touch("a/x.jpg");
  fs::create_directory_symlink(folder_, folder_ / "a/loop");
  EXPECT_EQ(expand_inputs({folder_.string()}).paths.size(), 1U);
}

TEST_F(Inputs, TensorsAreOneOrManyPictures) {
  const std::vector<float> values(2 * 3 * 4 * 5, 0.5F);
  write_npy(folder_ / "many.npy", values, {2, 3, 4, 5});
  const auto many = load_input(folder_ / "many.npy", {});
  const auto& stack = std::get<TensorStack>(many.content);
  EXPECT_EQ(stack.count, 2U);
  EXPECT_EQ(stack.size, (Size{4, 5}));
  write_npy(folder_ / "one.npy", std::span(values).first(60), {3, 4, 5});
  const auto one = load_input(folder_ / "one.npy", {});
  EXPECT_EQ(std::get<TensorStack>(one.content).count, 1U);
}

TEST_F(Inputs, TensorsOfTheWrongKindAreRefusedWithAReason) {
  const std::vector<float> values(60, 0.5F);
  write_npy(folder_ / "flat.npy", values, {60});
  EXPECT_NE(reason(folder_ / "flat.npy").find("has shape (60), not (3, H, W)"), std::string::npos);
  write_npy(folder_ / "four.npy", values, {4, 3, 5});
  EXPECT_NE(reason(folder_ / "four.npy"), "");
  write_npy(folder_ / "none.npy", std::vector<float>(), {0, 3, 4, 5});
  EXPECT_NE(reason(folder_ / "none.npy"), "");
  const std::vector<std::int64_t> integers(60, 1);
  write_npy(folder_ / "integers.npy", integers, {3, 4, 5});
  EXPECT_NE(reason(folder_ / "integers.npy").find("i8, not float32"), std::string::npos);
  auto broken = values;
  broken[7] = std::numeric_limits<float>::quiet_NaN();
  write_npy(folder_ / "nan.npy", broken, {3, 4, 5});
  EXPECT_NE(reason(folder_ / "nan.npy").find("NaN"), std::string::npos);
}

}  // namespace
}  // namespace revisit::cli

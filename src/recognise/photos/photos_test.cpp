// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Folders as found in practice: odd names, links, loops, lists, and very many files.
#include "recognise/photos/photos.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "test_files.h"

namespace revisit {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;
using testing::names_of;
using testing::TemporaryFolder;
using Names = std::vector<std::string>;

TEST(PhotosIn, AreFoundBelowTheFolderSortedByName) {
  const TemporaryFolder folder;
  for (const auto* name : {"b.JPG", "a.jpeg", "sub/c.Png", "sub/deep/d.webp", "notes.txt", "e.gif", "jpg", ".jpg.txt"})
    folder.write(name);
  const auto photos = photos_in(folder.path());
  EXPECT_EQ(names_of(photos), (Names{"a.jpeg", "b.JPG", "sub/c.Png", "sub/deep/d.webp"}));
  EXPECT_EQ(photos[2].path, folder / "sub/c.Png");
  EXPECT_EQ(names_of(photos_in(folder.path().string() + "/")), names_of(photos));
}

TEST(PhotosIn, KeepOddNamesByteForByte) {
  const TemporaryFolder folder;
  const Names names = {" leading.jpg", "new\nline.jpg", "with space.jpg", "\xFF\xFE not utf8.jpg"};
  for (const auto& name : names) folder.write(name);
  EXPECT_EQ(names_of(photos_in(folder.path())), names);
}

TEST(PhotosIn, FollowLinksAndEnterEveryFolderOnce) {
  const TemporaryFolder folder;
  folder.write("real/a.jpg");
  folder.write("other/b.jpg");
  fs::create_directory_symlink("..", folder / "real/loop");
  fs::create_directory_symlink("../real", folder / "other/again");
  fs::create_directory_symlink(".", folder / "self");
  fs::create_symlink("real/a.jpg", folder / "link.jpg");
  fs::create_symlink("nowhere.jpg", folder / "broken.jpg");
  const TemporaryFolder outside;
  outside.write("far.jpg");
  fs::create_directory_symlink(outside.path(), folder / "linked");
  EXPECT_EQ(names_of(photos_in(folder.path())), (Names{"broken.jpg", "link.jpg", "linked/far.jpg", "other/b.jpg", "real/a.jpg"}));
}

TEST(PhotosIn, DoNotBlowUpInAWebOfLinks) {
  const TemporaryFolder folder;
  folder.write("a.jpg");
  for (int i = 0; i < 30; ++i) {
    const std::string level = "d" + std::to_string(i);
    folder.write(level + "/p.jpg");
    for (const auto* side : {"/x", "/y"})
      fs::create_directory_symlink("../d" + std::to_string((i + 1) % 30), folder / (level + side));
  }
  EXPECT_EQ(photos_in(folder.path()).size(), 31U);
}

TEST(PhotosIn, AskNothingOfAPipeThatCallsItselfAPhoto) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe.jpg").c_str(), 0600), 0);
  EXPECT_EQ(names_of(photos_in(folder.path())), Names{"pipe.jpg"});
}

TEST(PhotosIn, TakePlacesFromNames) {
  const TemporaryFolder folder;
  folder.write("@10@20@.jpg");
  const auto photos = photos_in(folder.path());
  ASSERT_TRUE(photos[0].position);
  EXPECT_DOUBLE_EQ(photos[0].position->north_m, 20);
}

TEST(PhotosIn, ReadTheListBesideTheFolderInItsOrder) {
  const TemporaryFolder folder;
  for (const auto* name : {"set/a.jpg", "set/b.jpg", "set/c.bin"}) folder.write(name);
  folder.write("set_images_paths.txt", "c.bin\r\n\na.jpg\n");
  EXPECT_EQ(names_of(photos_in(folder / "set")), (Names{"c.bin", "a.jpg"}));
  EXPECT_EQ(names_of(photos_in(folder / "set/")), (Names{"c.bin", "a.jpg"}));
  folder.write("set_images_paths.txt", "a.jpg\nmissing.jpg\n");
  expect_error([&] { photos_in(folder / "set"); }, ErrorCode::kNotFound, "line 2");
  folder.write("set_images_paths.txt", "a.jpg\na.jpg\n");
  expect_error([&] { photos_in(folder / "set"); }, ErrorCode::kBadFile, "listed twice");
  folder.write("set_images_paths.txt", "\n");
  expect_error([&] { photos_in(folder / "set"); }, ErrorCode::kNotFound, "lists no photo");
}

TEST(PhotosIn, SayWhatIsWrongWithAFolder) {
  const TemporaryFolder folder;
  folder.write("file.jpg");
  fs::create_directory(folder / "empty");
  expect_error([&] { photos_in(folder / "none"); }, ErrorCode::kNotFound, "does not exist");
  expect_error([&] { photos_in(folder / "file.jpg"); }, ErrorCode::kNotFound, "not a folder");
  expect_error([&] { photos_in(folder / "empty"); }, ErrorCode::kNotFound, "holds no .jpg");
}

TEST(ListedPhotos, StayBelowTheirFolder) {
  const TemporaryFolder folder;
  folder.write("in/a.jpg");
  folder.write("out.jpg");
  EXPECT_EQ(listed_photos(folder / "in", {"a.jpg"}, "list").size(), 1U);
  for (const auto& name : {std::string("../out.jpg"), (folder / "out.jpg").string(), std::string(""),
                           std::string("a/../../out.jpg"), std::string("a\0.jpg", 6)}) {
    expect_error([&] { listed_photos(folder / "in", {name}, "list"); }, ErrorCode::kBadFile, "not below its folder");
  }
  expect_error([&] { listed_photos(folder / "in", {"b.jpg"}, "list"); }, ErrorCode::kNotFound, "b.jpg");
}

}  // namespace
}  // namespace revisit

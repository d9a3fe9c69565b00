// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Crops in rotation, and the cache that holds them.
#include "training/train/rotation.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "training/train/token_cache.h"

namespace revisit::train {
namespace {

TEST(CropRotation, EveryCropIsMadeOnceAndCachedOnesCanBeReadAhead) {
  const CropRotation rotation(8, 0.25, 100, 3);
  std::set<std::int64_t> made;
  for (std::int64_t step = 0; step < 200; ++step) {
    const auto now = rotation.at(step);
    ASSERT_EQ(now.fresh.size() + now.cached.size(), 8U);
    EXPECT_EQ(rotation.made_before(step), static_cast<std::int64_t>(made.size()));
    for (const auto id : now.cached) {
      EXPECT_TRUE(step < 2 || id < rotation.made_before(step - 1)) << "step " << step << " reads crop " << id;
      EXPECT_GT(id + rotation.capacity(), now.fresh.back()) << "overwritten by step " << step;
    }
    for (const auto id : now.fresh) EXPECT_TRUE(made.insert(id).second) << "crop " << id << " is made twice";
  }
  EXPECT_EQ(rotation.at(150).fresh.size(), 2U);
  EXPECT_EQ(rotation.at(150).cached, CropRotation(8, 0.25, 100, 3).at(150).cached);
  EXPECT_NE(rotation.at(150).cached, CropRotation(8, 0.25, 100, 4).at(150).cached);
}

class TokenCacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    file_ = std::filesystem::temp_directory_path() / ("revisit_cache_" + std::to_string(::getpid()));
    std::filesystem::remove(file_);
  }
  void TearDown() override { std::filesystem::remove(file_); }

  static CachedCrop crop(int seed) {
    CachedCrop out;
    for (int i = 0; i < 30; ++i) out.pixels.push_back(static_cast<std::uint8_t>(seed * 7 + i));
    for (int i = 0; i < 20; ++i) out.tokens.push_back(static_cast<std::uint16_t>(seed * 1000 + i));
    return out;
  }

  std::filesystem::path file_;
};

TEST_F(TokenCacheTest, KeepsTheNewestAndForgetsWhatItsSlotWasGivenTo) {
  TokenCache cache(file_, 10, 30, 20, 5, "");
  CachedCrop found;
  EXPECT_FALSE(cache.load(3, found));
  for (int id = 0; id < 14; ++id) cache.store(id, crop(id));
  EXPECT_FALSE(cache.load(3, found)) << "its slot holds crop 13";
  ASSERT_TRUE(cache.load(13, found));
  EXPECT_EQ(found.pixels, crop(13).pixels);
  EXPECT_EQ(found.tokens, crop(13).tokens);
  ASSERT_TRUE(TokenCache(file_, 10, 30, 20, 5, "").load(7, found)) << "of another process";
  EXPECT_FALSE(TokenCache(file_, 10, 30, 20, 6, "").load(7, found)) << "made with other settings";
}

TEST_F(TokenCacheTest, ADamagedSlotIsLikeAnEmptyOne) {
  CachedCrop found;
  { TokenCache(file_, 10, 30, 20, 5, "").store(2, crop(2)); }
  const auto size = std::filesystem::file_size(file_);
  for (const std::streamoff at : {std::streamoff{0}, std::streamoff{9}, std::streamoff{40}}) {
    std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
    const auto position = static_cast<std::streamoff>(size) - 86 + at;
    file.seekg(position);
    const char old = static_cast<char>(file.get());
    file.seekp(position);
    file.put(static_cast<char>(old ^ 1));
    file.close();
    EXPECT_FALSE(TokenCache(file_, 10, 30, 20, 5, "").load(2, found)) << "byte " << at;
    std::fstream again(file_, std::ios::in | std::ios::out | std::ios::binary);
    again.seekp(position);
    again.put(old);
  }
  EXPECT_TRUE(TokenCache(file_, 10, 30, 20, 5, "").load(2, found));
  std::filesystem::resize_file(file_, size - 1);
  EXPECT_FALSE(TokenCache(file_, 10, 30, 20, 5, "").load(2, found)) << "cut";
}

}  // namespace
}  // namespace revisit::train

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Spread, the use of every byte, and names made to collide under the standard library's hash.
#include "core/base/salted_hash.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "hostile/colliding_names.h"

namespace revisit {
namespace {

TEST(SaltedHash, DependsOnEveryByteAndOnTheLength) {
  std::set<std::size_t> seen;
  const SaltedHash hash;
  for (std::size_t length = 0; length < 40; ++length) {
    std::string text(length, '\0');
    EXPECT_TRUE(seen.insert(hash(text)).second) << length << " zeros";
    for (std::size_t i = 0; i < length; ++i) {
      text[i] = 1;
      EXPECT_TRUE(seen.insert(hash(text)).second) << length << " " << i;
      text[i] = 0;
    }
  }
  EXPECT_EQ(hash(std::string_view("abc")), hash(std::string("abc")));
}

TEST(SaltedHash, SpreadsTextsAndNumbersOverBuckets) {
  constexpr std::size_t kBuckets = 64;
  std::vector<int> texts(kBuckets), numbers(kBuckets);
  const SaltedHash hash;
  for (std::int64_t i = 0; i < 64'000; ++i) {
    ++texts[hash(std::to_string(i)) % kBuckets];
    ++numbers[hash(i * 541'718'723) % kBuckets];
  }
  for (std::size_t i = 0; i < kBuckets; ++i) {
    EXPECT_NEAR(texts[i], 1000, 200) << i;
    EXPECT_NEAR(numbers[i], 1000, 200) << i;
  }
}

TEST(SaltedHash, KeepsTablesFastForNamesThatCollideOtherwise) {
  const auto names = testing::colliding_names(100'000);
  ASSERT_EQ(std::hash<std::string>()(names[0]), std::hash<std::string>()(names[1])) << "the names no longer collide";
  const auto start = std::chrono::steady_clock::now();
  NameMap<int> map;
  NameSet set(names.begin(), names.end());
  for (std::size_t i = 0; i < names.size(); ++i) map.emplace(names[i], static_cast<int>(i));
  EXPECT_EQ(map.size(), names.size());
  EXPECT_EQ(set.size(), names.size());
  EXPECT_EQ(map.find(std::string_view(names[77]))->second, 77);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 2.0);
}

}  // namespace
}  // namespace revisit

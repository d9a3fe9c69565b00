// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A cell is found again by its settings; what is damaged, of others, or made to cost much is as good as absent.
#include "lab/study/compare_cells.h"

#include <gtest/gtest.h>

#include "core/base/limits.h"
#include "hostile/cheap_refusal.h"
#include "test_files.h"

namespace revisit {
namespace {

class CompareCellsTest : public ::testing::Test {
 protected:
  // Puts `text` where the cell of `settings` lies.
  void overwrite(const std::string& text) {
    cells_.save("s", {{1}, 2.5});
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) folder_.write(entry.path().filename(), text);
  }

  testing::TemporaryFolder folder_;
  CompareCells cells_{folder_.path()};
};

TEST_F(CompareCellsTest, AreFoundAgainByTheirSettings) {
  EXPECT_FALSE(cells_.load("s", 3));
  cells_.save("s", {{1, 0, limits::kMaxTopK}, 2.5});
  const auto found = cells_.load("s", 3);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->ranks, (std::vector<int>{1, 0, limits::kMaxTopK}));
  EXPECT_EQ(found->ms_per_image, 2.5);
  EXPECT_FALSE(cells_.load("s", 2)) << "of as many queries";
  EXPECT_FALSE(cells_.load("t", 3)) << "of other settings";
}

TEST_F(CompareCellsTest, AreAbsentWhenTheyAreDamaged) {
  for (const auto* text :
       {"", "{", "7", "[]", "{}", R"({"settings":"t","ranks":[1],"ms_per_image":1})",
        R"({"settings":"s","ranks":[-1],"ms_per_image":1})", R"({"settings":"s","ranks":[1001],"ms_per_image":1})",
        R"({"settings":"s","ranks":[1.5],"ms_per_image":1})",
        R"({"settings":"s","ranks":[18446744073709551615],"ms_per_image":1})",
        R"({"settings":"s","ranks":[1],"ms_per_image":1e999})", R"({"settings":"s","ranks":{"a":1},"ms_per_image":1})",
        R"({"settings":"s","ranks":[1],"ms_per_image":"1"})"}) {
    overwrite(text);
    EXPECT_FALSE(cells_.load("s", 1)) << text;
  }
  overwrite(R"({"settings":"s","ranks":[1],"ms_per_image":1})");
  EXPECT_TRUE(cells_.load("s", 1));
}

TEST_F(CompareCellsTest, ThatNestVeryDeepAreLeftAtTheLimit) {
  overwrite(std::string(30'000'000, '['));
  testing::expect_cheap(
      "30 million lists", [&] { EXPECT_FALSE(cells_.load("s", 1)); }, "accepted");
}

}  // namespace
}  // namespace revisit

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
    cells_.save("s", {{1}});
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) folder_.write(entry.path().filename(), text);
  }

  testing::TemporaryFolder folder_;
  CompareCells cells_{folder_.path()};
};

TEST_F(CompareCellsTest, AreFoundAgainByTheirSettings) {
  EXPECT_FALSE(cells_.load("s", 3));
  cells_.save("s", {{1, 0, limits::kMaxTopK}});
  const auto found = cells_.load("s", 3);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->ranks, (std::vector<int>{1, 0, limits::kMaxTopK}));
  EXPECT_FALSE(cells_.load("s", 2)) << "of as many queries";
  EXPECT_FALSE(cells_.load("t", 3)) << "of other settings";
  EXPECT_FALSE(cells_.load_cost("s")) << "of another kind";
  cells_.save_cost("u", {2.5, 50.4});
  ASSERT_TRUE(cells_.load_cost("u"));
  EXPECT_EQ(cells_.load_cost("u")->ms_per_image, 2.5);
  EXPECT_EQ(cells_.load_cost("u")->gmac, 50.4);
  EXPECT_FALSE(cells_.load("u", 0)) << "of another kind";
}

TEST_F(CompareCellsTest, AreAbsentWhenTheyAreDamaged) {
  for (const auto* text : {"", "{", "7", "[]", "{}", R"({"settings":"t","ranks":[1]})", R"({"settings":"s","ranks":[-1]})",
                           R"({"settings":"s","ranks":[1001]})", R"({"settings":"s","ranks":[1.5]})",
                           R"({"settings":"s","ranks":[18446744073709551615]})", R"({"settings":"s","ranks":{"a":1}})"}) {
    overwrite(text);
    EXPECT_FALSE(cells_.load("s", 1)) << text;
  }
  overwrite(R"({"settings":"s","ranks":[1]})");
  EXPECT_TRUE(cells_.load("s", 1));
  for (const auto* text :
       {"", R"({"settings":"s","ms_per_image":1})", R"({"settings":"s","ms_per_image":"1","gmac":1})",
        R"({"settings":"s","ms_per_image":1e999,"gmac":1})", R"({"settings":"s","ms_per_image":-1,"gmac":1})"}) {
    overwrite(text);
    EXPECT_FALSE(cells_.load_cost("s")) << text;
  }
}

TEST_F(CompareCellsTest, ThatNestVeryDeepAreLeftAtTheLimit) {
  overwrite(std::string(30'000'000, '['));
  testing::expect_cheap(
      "30 million lists", [&] { EXPECT_FALSE(cells_.load("s", 1)); }, "accepted");
}

}  // namespace
}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Near misses, flag spelling and grouping.
#include "cli/words.h"

#include <gtest/gtest.h>

#include "core/base/shell_words.h"

namespace revisit::cli {
namespace {

TEST(Words, EditDistanceCountsASwapOfNeighboursAsOne) {
  EXPECT_EQ(edit_distance("qeury", "query"), 1U);
  EXPECT_EQ(edit_distance("describe", "describe"), 0U);
  EXPECT_EQ(edit_distance("desribe", "describe"), 1U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Words, EditDistanceIsSymmetric) {
  const std::vector<std::string> words{"bench", "doctor", "describe", "model", "", "hcneb"};
  for (const auto& a : words) {
    for (const auto& b : words) EXPECT_EQ(edit_distance(a, b), edit_distance(b, a)) << a << " " << b;
  }
}

TEST(Words, SuggestsTheNearestWordAndNothingForAStranger) {
  const std::vector<std::string> verbs{"describe", "model", "bench", "doctor"};
  EXPECT_EQ(did_you_mean("docter", verbs), " - did you mean 'doctor'?");
  EXPECT_EQ(nearest_word("bnech", verbs), "bench");
  EXPECT_EQ(did_you_mean("xylophone", verbs), "");
}

TEST(Words, UnderscoresInFlagNamesBecomeDashes) {
  const auto out = normalise_arguments({"--skip_bad", "--prune_layer=a_b", "my_photo.jpg", "-o", "a_b.npy", "--", "--x_y"});
  EXPECT_EQ(out, (std::vector<std::string>{"--skip-bad", "--prune-layer=a_b", "my_photo.jpg", "-o", "a_b.npy", "--", "--x_y"}));
}

TEST(Words, GroupsIgnoredTensorsByTheirFirstPart) {
  EXPECT_EQ(group_by_prefix({"head.weight", "head.bias"}), "head.*");
  EXPECT_EQ(group_by_prefix({"head.weight", "mask_token", "head.bias"}), "head.*, mask_token");
  EXPECT_EQ(group_by_prefix({"fc.weight"}), "fc.weight");
  EXPECT_EQ(group_by_prefix({"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}), "a, b, c, d, e, f, g, h and 2 more groups");
}

TEST(Words, BytesAreShownInTheUnitThatFits) {
  EXPECT_EQ(human_bytes(512), "512 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KB");
  EXPECT_EQ(human_bytes(16.0 * 1024 * 1024 * 1024), "16 GB");
}

TEST(Words, ControlCharactersOfForeignNamesAreShownNotSent) {
  EXPECT_EQ(on_one_line("line\nbreak"), "line\\nbreak");
  EXPECT_EQ(on_one_line("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
  EXPECT_EQ(on_one_line("stra\xc3\x9f"
                        "e.jpg"),
            "stra\xc3\x9f"
            "e.jpg");
}

TEST(Words, ShellQuotedIsOneWordOfAShell) {
  EXPECT_EQ(shell_quoted("photos/a-1.jpg"), "photos/a-1.jpg");
  EXPECT_EQ(shell_quoted("my photos"), "'my photos'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted("drive/*.jpg"), "'drive/*.jpg'");
  EXPECT_EQ(shell_quoted(""), "''");
}

}  // namespace
}  // namespace revisit::cli

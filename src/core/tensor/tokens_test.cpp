// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What tokens are and stand for after drops and merges.
#include "core/tensor/tokens.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "revisit/error.h"

namespace revisit::tensor {
namespace {

/// CLS, one register, then patches of two values: patch i is (4 i, -4 i).
struct Sequence {
  explicit Sequence(int patches)
      : values{91, 92, 93, 94}, kept(static_cast<std::size_t>(patches)), mass(kept.size(), 1.0F), owner(kept.size()) {
    for (int i = 0; i < patches; ++i) values.insert(values.end(), {4.0F * static_cast<float>(i), -4.0F * static_cast<float>(i)});
    std::iota(kept.begin(), kept.end(), 0);
    owner = kept;
    tokens = {{values.data(), 2 + patches, 2, 2}, 2, kept, 4, mass, owner};
  }

  /// The first value of every patch; the second is its negative.
  std::vector<float> alive() const {
    std::vector<float> out;
    for (int i = 0; i < tokens.patches(); ++i) {
      out.push_back(tokens.patch_values().row(i)[0]);
      EXPECT_EQ(tokens.patch_values().row(i)[1], -out.back()) << i;
    }
    return out;
  }
  std::vector<int> places() const { return {tokens.kept.begin(), tokens.kept.end()}; }
  std::vector<float> masses() const { return {tokens.mass.begin(), tokens.mass.end()}; }

  std::vector<float> values;
  std::vector<int> kept;
  std::vector<float> mass;
  std::vector<int> owner;
  Tokens tokens;
};

using Ints = std::vector<int>;
using Floats = std::vector<float>;

TEST(MergePatches, GivesTheMeanAndLeavesPrefixAndOrder) {
  Sequence s(5);
  merge_patches(s.tokens, Ints{0, 3, 2, 3, 4});
  EXPECT_EQ(s.tokens.values.rows, 2 + 4);
  EXPECT_EQ(s.alive(), (Floats{0, 8, 8, 16})) << "the mean of 4 and 12 lies where 12 did";
  EXPECT_EQ(s.places(), (Ints{0, 2, 3, 4}));
  EXPECT_EQ(s.masses(), (Floats{1, 1, 2, 1}));
  EXPECT_EQ(s.owner, (Ints{0, 3, 2, 3, 4}));
  EXPECT_EQ(Floats(s.values.begin(), s.values.begin() + 4), (Floats{91, 92, 93, 94}));
}

TEST(MergePatches, TakesSeveralIntoOneFromBothSides) {
  Sequence s(6);
  merge_patches(s.tokens, Ints{2, 1, 2, 1, 4, 2});
  EXPECT_EQ(s.places(), (Ints{1, 2, 4}));
  EXPECT_EQ(s.masses(), (Floats{2, 3, 1}));
  EXPECT_EQ(s.owner, (Ints{2, 1, 2, 1, 4, 2}));
  ASSERT_EQ(s.tokens.patches(), 3);
  EXPECT_FLOAT_EQ(s.alive()[0], 8);
  EXPECT_NEAR(s.alive()[1], (0 + 8 + 20) / 3.0, 1e-5);
  EXPECT_FLOAT_EQ(s.alive()[2], 16);
}

TEST(MergePatches, WeighsByMassWhenMergedAgain) {
  Sequence s(6);
  merge_patches(s.tokens, Ints{1, 1, 3, 3, 4, 5});  // 2 (mass 2), 10 (mass 2), 16, 20
  EXPECT_EQ(s.alive(), (Floats{2, 10, 16, 20}));
  merge_patches(s.tokens, Ints{0, 3, 0, 3});  // (2 * 2 + 16) / 3, (2 * 10 + 20) / 3
  EXPECT_EQ(s.places(), (Ints{1, 5}));
  EXPECT_EQ(s.masses(), (Floats{3, 3}));
  EXPECT_EQ(s.owner, (Ints{1, 1, 5, 5, 1, 5})) << "patches merged first follow the token that stood for them";
  EXPECT_NEAR(s.alive()[0], 20.0 / 3, 1e-5);
  EXPECT_NEAR(s.alive()[1], 40.0 / 3, 1e-5);
}

TEST(MergePatches, FollowsTokensThatADropInBetweenMoved) {
  Sequence s(8);
  merge_patches(s.tokens, Ints{0, 0, 2, 4, 4, 5, 7, 7});  // kept 0 2 4 5 7
  EXPECT_EQ(s.owner, (Ints{0, 0, 2, 4, 4, 5, 7, 7}));
  keep_patches(s.tokens, {1, 2, 4});  // drops 0, which stood for 0 and 1, and 5
  EXPECT_EQ(s.places(), (Ints{2, 4, 7}));
  EXPECT_EQ(s.masses(), (Floats{1, 2, 2}));
  EXPECT_EQ(s.owner, (Ints{-1, -1, 2, 4, 4, -1, 7, 7}));
  merge_patches(s.tokens, Ints{1, 1, 2});
  EXPECT_EQ(s.places(), (Ints{4, 7}));
  EXPECT_EQ(s.masses(), (Floats{3, 2}));
  EXPECT_EQ(s.owner, (Ints{-1, -1, 4, 4, 4, -1, 7, 7}));
  EXPECT_NEAR(s.alive()[0], (8 + 2 * 14) / 3.0, 1e-5);
  EXPECT_FLOAT_EQ(s.alive()[1], 26);
}

TEST(MergePatches, ATargetMovesWhenThoseBeforeItAreGone) {
  Sequence s(5);
  merge_patches(s.tokens, Ints{4, 4, 4, 3, 4});
  EXPECT_EQ(s.places(), (Ints{3, 4}));
  EXPECT_EQ(s.masses(), (Floats{1, 4}));
  EXPECT_FLOAT_EQ(s.alive()[0], 12);
  EXPECT_NEAR(s.alive()[1], (0 + 4 + 8 + 16) / 4.0, 1e-5);
  merge_patches(s.tokens, Ints{1, 1});
  EXPECT_EQ(s.places(), (Ints{4}));
  EXPECT_EQ(s.masses(), (Floats{5}));
  EXPECT_EQ(s.owner, (Ints{4, 4, 4, 4, 4}));
  EXPECT_NEAR(s.alive()[0], 8, 1e-5);
}

TEST(MergePatches, ChangesNoByteWhenNothingIsMerged) {
  Sequence s(4);
  s.values[4] = 0.1F;
  s.values[5] = -0.1F;
  const auto values = s.values;
  merge_patches(s.tokens, Ints{0, 1, 2, 3});
  EXPECT_EQ(s.values, values);
  EXPECT_EQ(s.tokens.patches(), 4);
  EXPECT_EQ(s.places(), (Ints{0, 1, 2, 3}));
  EXPECT_EQ(s.masses(), Floats(4, 1));
  EXPECT_EQ(s.owner, (Ints{0, 1, 2, 3}));
  EXPECT_FALSE(any_merged(s.tokens));
}

TEST(MergePatches, RefusesPlacesThatDoNotStay) {
  for (const Ints& into : {Ints{1, 2, 2}, Ints{0, 1}, Ints{0, 1, 3}, Ints{0, -1, 2}, Ints{1, 0, 2}}) {
    Sequence s(3);
    try {
      merge_patches(s.tokens, into);
      ADD_FAILURE() << ::testing::PrintToString(into);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInternal);
    }
    EXPECT_EQ(s.alive(), (Floats{0, 4, 8})) << "nothing was begun";
  }
  Sequence bare(3);
  bare.tokens.mass = {};
  EXPECT_THROW(merge_patches(bare.tokens, Ints{0, 0, 2}), Error);
}

TEST(KeepPatches, TellsWhichPatchesNobodyStandsForAnyMore) {
  Sequence s(5);
  keep_patches(s.tokens, {1, 4});
  EXPECT_EQ(s.alive(), (Floats{4, 16}));
  EXPECT_EQ(s.places(), (Ints{1, 4}));
  EXPECT_EQ(s.masses(), (Floats{1, 1}));
  EXPECT_EQ(s.owner, (Ints{-1, 1, -1, -1, 4}));
  EXPECT_FALSE(any_merged(s.tokens));
  keep_patches(s.tokens, {0});
  EXPECT_EQ(s.owner, (Ints{-1, 1, -1, -1, -1}));
}

TEST(AnyMerged, IsOverWhenTheMergedTokenIsDropped) {
  Sequence s(4);
  merge_patches(s.tokens, Ints{1, 1, 2, 3});
  EXPECT_TRUE(any_merged(s.tokens));
  keep_patches(s.tokens, {1, 2});
  EXPECT_FALSE(any_merged(s.tokens));
  EXPECT_EQ(s.owner, (Ints{-1, -1, 2, 3}));
}

}  // namespace
}  // namespace revisit::tensor

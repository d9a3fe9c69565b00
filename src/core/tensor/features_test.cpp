// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Tokens and maps behind one type.
#include "core/tensor/features.h"

#include <gtest/gtest.h>

#include <vector>

#include "revisit/error.h"

namespace revisit::tensor {
namespace {

std::vector<float> values_of(ConstMatrix m) {
  std::vector<float> out;
  for (int r = 0; r < m.rows; ++r) out.insert(out.end(), m.row(r), m.row(r) + m.cols);
  return out;
}

TEST(Features, OfTokensTheSpatialOnesAreThePatches) {
  std::vector<float> values{1, 2, 3, 4, 5, 6, 7, 8};  // CLS, one register, two patches of two values
  std::vector<int> kept{0, 1};
  const Features features(Tokens{{values.data(), 4, 2, 2}, 2, kept, 2});
  EXPECT_TRUE(features.are_tokens());
  EXPECT_EQ(values_of(features.values()), values);
  EXPECT_EQ(values_of(features.spatial()), (std::vector<float>{5, 6, 7, 8}));
  EXPECT_EQ(features.spatial().data, values.data() + 4) << "in place";
  EXPECT_TRUE(features.mass().empty()) << "nobody asked";
}

TEST(Features, OfTokensThatWereMergedHaveTheirMasses) {
  std::vector<float> values{1, 2, 3, 4, 5, 6, 7, 8}, mass{1, 1, 1};  // CLS, three patches of two values
  std::vector<int> kept{0, 1, 2}, owner(kept);
  Features features(Tokens{{values.data(), 4, 2, 2}, 1, kept, 3, mass, owner});
  merge_patches(features.tokens(), std::vector<int>{0, 0, 2});
  EXPECT_EQ(std::vector<float>(features.mass().begin(), features.mass().end()), (std::vector<float>{2, 1}));
  EXPECT_EQ(values_of(features.spatial()), (std::vector<float>{4, 5, 7, 8}));
}

TEST(Features, OfAMapTheSpatialOnesAreItsCellsWithAllTheirChannels) {
  std::vector<float> values{1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60};  // 2 x 3 cells of two channels
  const Features features(FeatureMap{{values.data(), 6, 2, 2}, 2, 3});
  EXPECT_FALSE(features.are_tokens());
  EXPECT_EQ(values_of(features.values()), values);
  EXPECT_EQ(features.spatial().rows, 6);
  EXPECT_EQ(features.spatial().data, values.data()) << "in place";
  EXPECT_TRUE(features.mass().empty());
}

TEST(Features, OneKindIsNotTakenForTheOther) {
  std::vector<float> values(6);
  std::vector<int> kept{0};
  const Features tokens(Tokens{{values.data(), 2, 3, 3}, 1, kept, 1});
  const Features map(FeatureMap{{values.data(), 3, 2, 2}, 1, 3});
  const auto refusal = [](const auto& action) {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadModel);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal([&] { map.tokens(); }).find("tokens are wanted, but the backbone gives a feature map"), std::string::npos);
  EXPECT_NE(refusal([&] { tokens.map(); }).find("a feature map is wanted, but the backbone gives tokens"), std::string::npos);
}

}  // namespace
}  // namespace revisit::tensor

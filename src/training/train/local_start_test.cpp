// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/train/local_start.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "training/train/initial_model.h"

namespace revisit::train {
namespace {

constexpr int kPatch = 14, kWidth = 64;

model::VitConfig small_vit() {
  model::VitConfig vit;
  vit.width = kWidth;
  vit.depth = 2;
  vit.heads = 2;
  vit.patch = kPatch;
  vit.pos_rows = vit.pos_cols = 6;
  return vit;
}

double dot(const float* a, const float* b, int count) {
  return std::inner_product(a, a + count, b, 0.0, std::plus<>{}, [](float x, float y) { return static_cast<double>(x) * y; });
}

TEST(LocalStart, PatchFiltersAreDifferentFrequenciesAndFineOnesAreLouder) {
  constexpr int kPixels = 3 * kPatch * kPatch;
  const auto filters = local_start("patch_embed.proj.weight", {kWidth, 3, kPatch, kPatch}, small_vit(), 1);
  ASSERT_EQ(filters.size(), static_cast<std::size_t>(kWidth * kPixels));
  const auto filter = [&](int i) { return filters.data() + static_cast<std::ptrdiff_t>(i) * kPixels; };
  for (int a = 0; a < kWidth; ++a) {
    for (int b = 0; b < a; ++b) EXPECT_NEAR(dot(filter(a), filter(b), kPixels), 0, 1e-4) << a << " and " << b;
  }
  EXPECT_GT(dot(filter(kWidth - 1), filter(kWidth - 1), kPixels), 4 * dot(filter(0), filter(0), kPixels));
  for (int pixel = 1; pixel < kPixels; ++pixel) EXPECT_NEAR(filter(0)[pixel], filter(0)[0], 1e-5) << "the first is the mean";
}

TEST(LocalStart, PositionsAreLikeTheirNeighbours) {
  const auto table = local_start("pos_embed", {1, 37, kWidth}, small_vit(), 1);
  ASSERT_EQ(table.size(), static_cast<std::size_t>(37 * kWidth));
  const auto at = [&](int y, int x) { return table.data() + static_cast<std::ptrdiff_t>(1 + 6 * y + x) * kWidth; };
  for (int y = 0; y < 6; ++y) {
    for (int x = 0; x + 2 < 6; ++x) {
      const double self = dot(at(y, x), at(y, x), kWidth), near = dot(at(y, x), at(y, x + 1), kWidth);
      EXPECT_GT(self, near);
      EXPECT_GT(near, dot(at(y, x), at(y, x + 2), kWidth));
    }
  }
}

TEST(LocalStart, KeysBeginAsQueries) {
  const auto qkv = local_start("blocks.0.attn.qkv.weight", {3 * kWidth, kWidth}, small_vit(), 1);
  const auto part = static_cast<std::ptrdiff_t>(kWidth) * kWidth;
  ASSERT_EQ(qkv.size(), static_cast<std::size_t>(3 * part));
  EXPECT_TRUE(std::equal(qkv.begin(), qkv.begin() + part, qkv.begin() + part));
  EXPECT_FALSE(std::equal(qkv.begin(), qkv.begin() + part, qkv.begin() + 2 * part)) << "values are their own";
}

TEST(LocalStart, ABackboneAskedForItHasItAndNormsAndBiasesStayAsTheyWere) {
  TrainModel settings;
  settings.width = kWidth;
  settings.depth = 4;
  settings.heads = 2;
  settings.start = "local";
  const auto model = initial_model(settings, {84, 84}, 3);
  const auto values = [&](const std::string& name) { return model::to_f32(model.weights.at("backbone.model." + name)); };
  const auto part = static_cast<std::ptrdiff_t>(kWidth) * kWidth;
  const auto qkv = values("blocks.3.attn.qkv.weight");
  EXPECT_TRUE(std::equal(qkv.begin(), qkv.begin() + part, qkv.begin() + part));
  EXPECT_NE(qkv, values("blocks.2.attn.qkv.weight"));
  EXPECT_EQ(values("blocks.0.norm1.weight"), std::vector<float>(kWidth, 1.0F));
  EXPECT_EQ(values("blocks.0.mlp.fc1.bias"), std::vector<float>(4 * kWidth, 0.0F));
  EXPECT_EQ(qkv, model::to_f32(initial_model(settings, {84, 84}, 3).weights.at("backbone.model.blocks.3.attn.qkv.weight")));
}

}  // namespace
}  // namespace revisit::train

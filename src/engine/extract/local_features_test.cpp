// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/extract/local_features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "revisit/extractor.h"

namespace revisit {
namespace {

Image noisy_picture(unsigned seed) {
  Image image{60, 50, std::vector<std::uint8_t>(9000)};
  std::mt19937 random(seed);
  for (auto& v : image.rgb) v = static_cast<std::uint8_t>(random() >> 24U);
  return resize(image, {240, 300}, ResizeFilter::kBicubic);
}

LocalFeatures local_of(const DescriptorSpec& spec, int threads = 1, Trace* trace = nullptr) {
  LocalFeatures out;
  Extractor(Model::random("demo"), spec, threads).describe(noisy_picture(3), trace, &out);
  return out;
}

TEST(LocalFeatures, AreTheHeadsOwnRoundedToBytes) {
  Trace trace;
  const LocalFeatures local = local_of({.size = Size{112, 140}}, 1, &trace);
  EXPECT_EQ(local.count(), 8 * 10);
  EXPECT_EQ(local.dim, 32);
  EXPECT_EQ(local.codes.size(), 80U * 32U);
  EXPECT_EQ(local.bytes(), 80U * (6 + 32));
  for (int p = 0; p < local.count(); ++p) {
    const LocalPatch& patch = local.patches[static_cast<std::size_t>(p)];
    EXPECT_NEAR(patch.x / 65'536.0, (p % 10 + 0.5) / 10, 1e-4);
    EXPECT_NEAR(patch.y / 65'536.0, (p / 10 + 0.5) / 8, 1e-4);
    const auto row = std::span(local.codes).subspan(static_cast<std::size_t>(p) * 32, 32);
    EXPECT_EQ(std::abs(int{std::ranges::max(row, {}, [](std::int8_t q) { return std::abs(int{q}); })}), 63);
  }
  // Weights follow the importance of the patches, and the heaviest weighs 1.
  const auto& importance = trace.importance.values;
  const float most = std::ranges::max(importance);
  for (std::size_t p = 0; p < importance.size(); ++p) {
    EXPECT_NEAR(local.patches[p].weight / 65'535.0, std::pow(importance[p] / most, 0.125), 1e-4);
  }
}

TEST(LocalFeatures, DoNotChangeTheDescriptorNorDependOnThreads) {
  const DescriptorSpec spec{.size = Size{224, 224}};
  LocalFeatures local;
  Extractor extractor(Model::random("demo"), spec, 1);
  const std::vector<float> with = extractor.describe(noisy_picture(3), nullptr, &local);
  EXPECT_GT(extractor.last_times().local_ms, 0);
  EXPECT_EQ(extractor.describe(noisy_picture(3)), with);
  EXPECT_EQ(extractor.last_times().local_ms, 0);
  EXPECT_EQ(local, local_of(spec, 2));
  EXPECT_EQ(local, local_of(spec, 3));
}

TEST(LocalFeatures, ALowerRhoKeepsFewer) {
  Trace trace;
  const LocalFeatures local = local_of({.rho = 0.5, .size = Size{112, 112}}, 1, &trace);
  ASSERT_EQ(local.patches.size(), trace.kept.size());
  EXPECT_EQ(local.count(), 32);
  for (std::size_t p = 0; p < trace.kept.size(); ++p) {
    EXPECT_EQ(local.patches[p].x / 8192, trace.kept[p] % 8);
    EXPECT_EQ(local.patches[p].y / 8192, trace.kept[p] / 8);
  }
}

TEST(LocalFeatures, OfManyTheHeaviestStay) {
  Trace trace;
  const LocalFeatures local = local_of({.size = Size{322, 322}}, 1, &trace);
  ASSERT_EQ(trace.importance.values.size(), 23U * 23U);
  EXPECT_EQ(local.count(), 256);
  std::vector<float> sorted = trace.importance.values;
  std::ranges::sort(sorted, std::greater());
  const float least = sorted[255];
  int heavy = 0;
  for (const LocalPatch& patch : local.patches) {
    const int cell = patch.y * 23 / 65'536 * 23 + patch.x * 23 / 65'536;
    heavy += trace.importance.values[static_cast<std::size_t>(cell)] >= least ? 1 : 0;
  }
  EXPECT_GE(heavy, 255) << "two may round to the same weight";
}

TEST(LocalFeatures, OfAPoolingAreItsTokens) {
  const int kept = local_of({.size = Size{322, 322}}).count();
  tensor::Arena arena;
  tensor::Tokens tokens;
  tokens.values = arena.matrix(1 + 300, 8);
  tokens.kept = arena.numbers<int>(300);
  tokens.columns = 20;
  for (int i = 0; i < 300; ++i) tokens.kept[static_cast<std::size_t>(i)] = i;
  for (int r = 0; r < 301; ++r)
    for (int c = 0; c < 8; ++c) tokens.values.row(r)[c] = static_cast<float>((r * 7 + c * c) % 11) - 5;
  tokens.values.row(1)[3] = std::nanf("");
  const LocalFeatures local = local_features(tokens, {}, {15, 20});
  EXPECT_EQ(local.count(), kept);
  EXPECT_EQ(local.dim, 8);
  std::set<std::pair<int, int>> places;
  for (const LocalPatch& patch : local.patches) {
    EXPECT_EQ(patch.weight, 65'535);
    places.insert({patch.x, patch.y});
  }
  EXPECT_EQ(places.size(), 256U) << "spread over the picture, none twice";
}

}  // namespace
}  // namespace revisit

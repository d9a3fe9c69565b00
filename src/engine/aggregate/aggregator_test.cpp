// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/aggregate/aggregator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/aggregate/pooling.h"
#include "engine/aggregate/test_support.h"
#include "engine/aggregate/weiad.h"
#include "engine/model/vlad_head.h"
#include "revisit/error.h"

namespace revisit::aggregate {
namespace {

using model::kSalad;
using model::kWeiad;
constexpr int kWidth = 12;

struct Described {
  std::vector<float> descriptor;
  HeadTrace trace;
};

Described describe(Aggregator& aggregator, int patches, std::uint32_t seed = 4, float spread = 1.0F) {
  std::mt19937 random(seed);
  auto x = testing::random_values(static_cast<std::size_t>(1 + patches) * kWidth, random, spread);
  tensor::Arena arena;
  Described out{std::vector<float>(static_cast<std::size_t>(aggregator.dim()), NAN), {}};
  aggregator.aggregate(testing::as_tokens(x, kWidth), out.descriptor.data(), arena, &out.trace);
  return out;
}

double length(const std::vector<float>& x) { return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0)); }

ErrorCode code_of(const auto& action, std::string* hint = nullptr) {
  try {
    action();
  } catch (const Error& error) {
    if (hint != nullptr) *hint = error.hint();
    return error.code();
  }
  return ErrorCode::kInternal;
}

TEST(TierWeights, FallByTheSoftplusOfEachDelta) {
  const std::vector<float> deltas{-2.2522F, -2.2522F, -2.2522F};  // softplus 0.1
  const std::vector<float> want{1.0F, 0.9F, 0.8F, 0.7F};
  const std::vector<float> got = tier_weights(0.0, deltas, 1e-3);
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t t = 0; t < want.size(); ++t) EXPECT_NEAR(got[t], want[t], 1e-4);
}

TEST(TierWeights, StopAtTheFloor) {
  const std::vector<float> falling = tier_weights(0.0, std::vector<float>{0.4F, 1.0F, 50.0F}, 1e-3);
  ASSERT_EQ(falling.size(), 4U);
  EXPECT_NEAR(falling[1], 1.0 - std::log1p(std::exp(0.4)), 1e-6);  // 0.087
  EXPECT_EQ(falling[2], 1e-3F);
  EXPECT_EQ(falling[3], 1e-3F);
  EXPECT_EQ(tier_weights(0.0, {}, 1e-3), std::vector<float>{1.0F});
  for (const float w : tier_weights(1.0, std::vector<float>{1000.0F, -1000.0F}, 1e-3)) EXPECT_TRUE(std::isfinite(w));
}

TEST(AssignTiers, BestAlphaComesFirstAndTiesGoToTheLowerIndex) {
  std::vector<int> order(5);
  std::vector<int> tier(5);
  assign_tiers(std::vector<float>{0.1F, 0.9F, 0.5F, 0.9F, -1.0F}, {2, 2, 1}, order, tier);
  EXPECT_EQ(order, (std::vector<int>{1, 3, 2, 0, 4}));
  EXPECT_EQ(tier, (std::vector<int>{1, 0, 1, 0, 2}));
}

TEST(AssignTiers, EqualAlphaKeepsIndexOrder) {
  std::vector<int> order(64);
  std::vector<int> tier(64);
  assign_tiers(std::vector<float>(64, 1.0F), {24, 20, 16, 4}, order, tier);
  std::vector<int> want(64);
  std::iota(want.begin(), want.end(), 0);
  EXPECT_EQ(order, want);
  EXPECT_TRUE(std::ranges::is_sorted(tier));
  EXPECT_EQ(std::ranges::count(tier, 0), 24);
  EXPECT_EQ(std::ranges::count(tier, 3), 4);
}

TEST(AssignTiers, NanIsWorstAndBreaksNothing) {
  std::vector<int> order(4);
  std::vector<int> tier(4);
  assign_tiers(std::vector<float>{NAN, 0.0F, NAN, 1.0F}, {1, 3}, order, tier);
  EXPECT_EQ(order, (std::vector<int>{3, 1, 0, 2}));
}

TEST(Weiad, GivesAUnitDescriptorForAnyNumberOfPatches) {
  const auto model = testing::random_head(kWeiad, {5, 4, 2});
  const auto head = make_aggregator(model, std::nullopt);
  EXPECT_EQ(head->dim(), 11 * 7 + 5);
  for (const int patches : {1, 2, 10, 11, 12, 300}) {
    const Described got = describe(*head, patches);
    EXPECT_NEAR(length(got.descriptor), 1.0, 1e-6) << patches;
    EXPECT_EQ(got.trace.transport.size(), static_cast<std::size_t>(patches * 11));
    EXPECT_EQ(got.trace.importance.size(), static_cast<std::size_t>(patches));
    EXPECT_EQ(got.trace.ghost.size(), 11U);
    EXPECT_EQ(got.trace.tier_weight.size(), 3U);
  }
}

TEST(Weiad, GivesTheSameBitsWithAndWithoutATraceAndOnEveryCall) {
  const auto model = testing::random_head(kWeiad, {5, 4, 2});
  const auto head = make_aggregator(model, std::nullopt);
  std::mt19937 random(9);
  auto x = testing::random_values(41 * kWidth, random);
  tensor::Arena arena;
  HeadTrace trace;
  std::vector<float> first(static_cast<std::size_t>(head->dim()));
  std::vector<float> second(first.size());
  head->aggregate(testing::as_tokens(x, kWidth), first.data(), arena, nullptr);
  describe(*head, 7);  // leaves other values in the scratch
  head->aggregate(testing::as_tokens(x, kWidth), second.data(), arena, &trace);
  EXPECT_EQ(first, second);
}

TEST(Weiad, AFrozenRankingGivesEveryPhotoTheSameTiers) {
  auto model = testing::random_head(kWeiad, {5, 4, 2});
  std::vector<float> falling;
  for (int j = 0; j < 11; ++j) falling.push_back(1.0F - 0.05F * static_cast<float>(j));
  model.weights.add_f32("aggregator.mean_alpha", {11}, falling);
  model.config.head.transport().frozen_ranking = true;
  const auto frozen = make_aggregator(model, std::nullopt);
  model.config.head.transport().frozen_ranking = false;
  const auto by_photo = make_aggregator(model, std::nullopt);
  const std::vector<std::int64_t> want{0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2};
  bool differs = false;
  for (const std::uint32_t seed : {4U, 5U, 6U}) {
    const Described one = describe(*frozen, 30, seed), other = describe(*by_photo, 30, seed);
    EXPECT_EQ(one.trace.tier, want);
    EXPECT_EQ(one.trace.alpha, other.trace.alpha) << "of the photo itself";
    differs = differs || other.trace.tier != want;
  }
  EXPECT_TRUE(differs);
}

TEST(Weiad, EveryDustbinAndGhostFormWorks) {
  auto model = testing::random_head(kWeiad, {3, 3});
  for (const bool dustbin : {true, false}) {
    for (const bool ghost : {true, false}) {
      model.config.head.transport().dustbin = dustbin;
      model.config.head.transport().ghost = ghost;
      const auto head = make_aggregator(model, std::nullopt);
      const Described got = describe(*head, 20);
      EXPECT_NEAR(length(got.descriptor), 1.0, 1e-6);
      EXPECT_EQ(got.trace.ghost.empty(), !ghost);
      EXPECT_EQ(got.trace.plan.size(), static_cast<std::size_t>((20 + ghost) * (6 + dustbin)));
    }
  }
  model.config.head.transport().dustbin = true;
  model.config.head.transport().ghost = false;
  const auto salad_like = make_aggregator(model, std::nullopt);
  EXPECT_EQ(code_of([&] { describe(*salad_like, 6); }), ErrorCode::kUsage);
}

TEST(Weiad, TheClusterNormDecidesWhetherTierWeightsShow) {
  auto model = testing::random_head(kWeiad, {2, 2});
  const auto lengths = [&](model::ClusterNorm norm, HeadTrace& trace) {
    model.config.head.transport().norm = norm;
    trace = describe(*make_aggregator(model, std::nullopt), 15).trace;
    std::vector<double> out;
    for (int j = 0; j < 4; ++j) out.push_back(length({trace.weighted.begin() + j * 7, trace.weighted.begin() + (j + 1) * 7}));
    return out;
  };
  HeadTrace trace;
  const auto after = lengths(model::ClusterNorm::kWeightAfter, trace);
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_NEAR(after[j], trace.tier_weight[static_cast<std::size_t>(trace.tier[j])], 1e-6);
  }
  for (const double l : lengths(model::ClusterNorm::kSalad, trace)) EXPECT_NEAR(l, 1.0, 1e-6);
  const auto none = lengths(model::ClusterNorm::kNone, trace);
  for (std::size_t j = 0; j < 4; ++j) {
    const auto v = trace.cluster_sums.begin() + static_cast<std::ptrdiff_t>(j) * 7;
    EXPECT_NEAR(none[j], trace.tier_weight[static_cast<std::size_t>(trace.tier[j])] * length({v, v + 7}), 1e-5);
  }
}

TEST(Weiad, HugeTokensStillGiveAFiniteDescriptor) {
  const auto model = testing::random_head(kWeiad, {5, 4, 2});
  const Described got = describe(*make_aggregator(model, std::nullopt), 30, 4, 1e4F);
  EXPECT_TRUE(std::ranges::all_of(got.descriptor, [](float x) { return std::isfinite(x); }));
  EXPECT_NEAR(length(got.descriptor), 1.0, 1e-6);
}

TEST(Weiad, RefusesTiersThatDoNotCoverTheClusters) {
  auto model = testing::random_head(kWeiad, {3, 3});
  model.config.head.transport().tiers = {3, 4};
  EXPECT_EQ(code_of([&] { make_aggregator(model, std::nullopt); }), ErrorCode::kBadModel);
  model.config.head.transport().tiers = {};
  EXPECT_EQ(code_of([&] { make_aggregator(model, std::nullopt); }), ErrorCode::kBadModel);
}

TEST(Salad, NeedsMorePatchesThanClustersAndSaysSo) {
  const auto model = testing::random_head(kSalad, {8});
  const auto head = make_aggregator(model, std::nullopt);
  EXPECT_NEAR(length(describe(*head, 9).descriptor), 1.0, 1e-6);
  EXPECT_EQ(code_of([&] { describe(*head, 8); }), ErrorCode::kUsage);
  EXPECT_EQ(code_of([&] { describe(*head, 1); }), ErrorCode::kUsage);
}

TEST(Salad, TheTokenPartHoldsItsFixedShareOfTheDescriptor) {
  const auto model = testing::random_head(kSalad, {8});
  const Described got = describe(*make_aggregator(model, std::nullopt), 50);
  const double share = std::pow(length({got.descriptor.begin(), got.descriptor.begin() + 5}), 2);
  EXPECT_NEAR(share, 1.0 / 9.0, 1e-6);
  EXPECT_TRUE(got.trace.tier.empty());
  EXPECT_EQ(got.trace.importance.size(), 50U);
}

TEST(Pooling, ClsMeanAndGemFollowTheirFormulas) {
  std::vector<float> tokens{3.0F, 4.0F,                // CLS
                            1.0F, -2.0F, 3.0F, 2.0F};  // patches; channel 0: 1, 3; channel 1: -2, 2
  tensor::Arena arena;
  std::vector<float> out(2);
  const auto pool = [&](Pooling pooling) {
    PoolingAggregator(pooling, 2).aggregate(testing::as_tokens(tokens, 2), out.data(), arena, nullptr);
    return out;
  };
  EXPECT_EQ(pool(Pooling::kCls), (std::vector<float>{0.6F, 0.8F}));
  EXPECT_EQ(pool(Pooling::kMean), (std::vector<float>{1.0F, 0.0F}));
  const double a = std::cbrt(14.0);
  const double b = std::cbrt(4.0);
  const auto gem = pool(Pooling::kGem);
  EXPECT_NEAR(gem[0], a / std::hypot(a, b), 1e-6);
  EXPECT_NEAR(gem[1], b / std::hypot(a, b), 1e-6);
}

TEST(Aggregators, ThatNeedNoClsReadAFeatureMapAsTheSameTokens) {
  constexpr int kCells = 6;
  std::mt19937 random(8);
  auto tokens = testing::random_values((1 + kCells) * kWidth, random);
  const tensor::Features map(tensor::FeatureMap{{tokens.data() + kWidth, kCells, kWidth, kWidth}, 2, 3});
  const auto expect_same = [&](Aggregator& aggregator) {
    tensor::Arena arena;
    std::vector<float> of_tokens(static_cast<std::size_t>(aggregator.dim())), of_map(of_tokens);
    aggregator.aggregate(testing::as_tokens(tokens, kWidth), of_tokens.data(), arena, nullptr);
    aggregator.aggregate(map, of_map.data(), arena, nullptr);
    EXPECT_EQ(of_map, of_tokens);
    EXPECT_NEAR(length(of_map), 1.0, 1e-6);
  };
  PoolingAggregator mean(Pooling::kMean, kWidth), gem(Pooling::kGem, kWidth), cls(Pooling::kCls, kWidth);
  expect_same(mean);
  expect_same(gem);

  model::LoadedModel vocabulary;
  vocabulary.config.vit().width = kWidth;
  vocabulary.config.head = {model::kVlad, model::VladHead{3, kWidth}};
  vocabulary.weights.add_f32("aggregator.centres", {3, kWidth}, testing::random_values(3 * kWidth, random));
  expect_same(*make_aggregator(vocabulary, std::nullopt));

  const auto weiad_model = testing::random_head(kWeiad, {3, 3});
  const auto weiad = make_aggregator(weiad_model, std::nullopt);
  std::vector<float> out(static_cast<std::size_t>(weiad->dim()));
  tensor::Arena arena;
  EXPECT_EQ(code_of([&] { weiad->aggregate(map, out.data(), arena, nullptr); }), ErrorCode::kBadModel);
  EXPECT_EQ(code_of([&] { cls.aggregate(map, out.data(), arena, nullptr); }), ErrorCode::kBadModel);
}

TEST(Aggregators, CountATokenOfMassMAsMTokensOfItsKind) {
  constexpr int kTokens = 9;
  std::mt19937 random(12);
  auto merged = testing::random_values((1 + kTokens) * kWidth, random);
  std::vector<float> mass(kTokens, 1.0F), copied(merged);
  mass[2] = 3;
  mass[5] = 2;
  for (const std::size_t i : {2U, 2U, 5U}) {
    const std::vector<float> row(merged.begin() + static_cast<std::ptrdiff_t>((1 + i) * kWidth),
                                 merged.begin() + static_cast<std::ptrdiff_t>((2 + i) * kWidth));
    copied.insert(copied.end(), row.begin(), row.end());
  }
  model::LoadedModel vocabulary;
  vocabulary.config.vit().width = kWidth;
  vocabulary.config.head = {model::kVlad, model::VladHead{3, kWidth}};
  vocabulary.weights.add_f32("aggregator.centres", {3, kWidth}, testing::random_values(3 * kWidth, random));
  const auto weiad_model = testing::random_head(kWeiad, {3, 3}), salad_model = testing::random_head(kSalad, {5});
  const std::unique_ptr<Aggregator> all[] = {
      make_aggregator(weiad_model, std::nullopt), make_aggregator(salad_model, std::nullopt),
      make_aggregator(vocabulary, std::nullopt), std::make_unique<PoolingAggregator>(Pooling::kMean, kWidth),
      std::make_unique<PoolingAggregator>(Pooling::kGem, kWidth)};
  for (const auto& aggregator : all) {
    tensor::Arena arena;
    std::vector<float> of_merged(static_cast<std::size_t>(aggregator->dim())), of_copies(of_merged), of_each(of_merged);
    tensor::Features features = testing::as_tokens(merged, kWidth);
    aggregator->aggregate(features, of_each.data(), arena, nullptr);
    features.tokens().mass = mass;
    aggregator->aggregate(features, of_merged.data(), arena, nullptr);
    aggregator->aggregate(testing::as_tokens(copied, kWidth), of_copies.data(), arena, nullptr);
    double worst = 0;
    for (std::size_t c = 0; c < of_merged.size(); ++c)
      worst = std::max(worst, std::abs(static_cast<double>(of_merged[c] - of_copies[c])));
    EXPECT_LE(worst, 2e-6);
    EXPECT_NE(of_merged, of_each) << "the masses were looked at";
  }
}

TEST(MakeAggregator, AsksForAnAggregateOnlyWhenTheModelHasNoHead) {
  const auto headed = testing::random_head(kWeiad, {3, 3});
  EXPECT_EQ(code_of([&] { make_aggregator(headed, "gem"); }), ErrorCode::kUsage);
  model::LoadedModel bare;
  bare.config.vit().width = kWidth;
  std::string hint;
  EXPECT_EQ(code_of([&] { make_aggregator(bare, std::nullopt); }, &hint), ErrorCode::kUsage);
  EXPECT_EQ(hint, "`aggregate` cls|mean|gem");
  EXPECT_EQ(code_of([&] { make_aggregator(bare, "max"); }, &hint), ErrorCode::kUsage);
  EXPECT_EQ(hint, "`aggregate` cls|mean|gem");
  for (const char* word : {"cls", "mean", "gem"}) EXPECT_EQ(make_aggregator(bare, word)->dim(), kWidth);
}

TEST(MakeAggregator, NamesTheTensorThatIsMissing) {
  model::LoadedModel model;
  model.config = testing::random_head(kSalad, {8}).config;
  try {
    make_aggregator(model, std::nullopt);
    FAIL() << "a head without weights was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadModel);
    EXPECT_NE(std::string(error.what()).find("aggregator."), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace revisit::aggregate

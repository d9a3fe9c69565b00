// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/reduce/one_cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>

#include "revisit/error.h"

namespace revisit::reduce {
namespace {

constexpr int kWidth = 6;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

model::LoadedModel weitop_model() {
  model::LoadedModel model;
  model.config.vit().width = kWidth;
  model.config.vit().depth = 3;
  model.config.own = model::weitop_settings();
  model.config.weitop_hidden = 4;
  std::mt19937 random(2);
  std::normal_distribution<float> normal;
  const auto add = [&](const char* name, std::vector<std::int64_t> shape, std::size_t count) {
    std::vector<float> values(count);
    for (float& value : values) value = normal(random);
    model.weights.add_f32(name, std::move(shape), std::move(values));
  };
  add("weitop.0.weight", {4, kWidth}, 4 * kWidth);
  add("weitop.0.bias", {4}, 4);
  add("weitop.2.weight", {1, 4}, 4);
  add("weitop.2.bias", {1}, 1);
  return model;
}

/// CLS, `registers` registers and patches with random values; patch i starts as index i.
struct Sequence {
  Sequence(int patches, int registers = 0, std::uint32_t seed = 3, int columns = 1)
      : prefix(1 + registers), kept(static_cast<std::size_t>(patches)) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0.0F, 2.0F);
    values.resize(static_cast<std::size_t>((prefix + patches) * kWidth));
    for (float& value : values) value = normal(random);
    std::iota(kept.begin(), kept.end(), 0);
    tokens = {{values.data(), prefix + patches, kWidth, kWidth}, prefix, kept, columns};
  }
  std::vector<int> alive() const { return {tokens.kept.begin(), tokens.kept.end()}; }

  int prefix;
  std::vector<float> values;
  std::vector<int> kept;
  tensor::Tokens tokens;
};

std::unique_ptr<TokenReducer> made(const DescriptorSpec& spec, const model::LoadedModel& model) {
  return make_reducer(completed(spec), model);
}

ErrorCode code_of(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::kInternal;
}

TEST(KeptCount, FollowsTheTableAt529Tokens) {
  const std::vector<std::pair<double, int>> table{{1, 529},   {.95, 503}, {.90, 477}, {.85, 450}, {.80, 424}, {.75, 397},
                                                  {.70, 371}, {.60, 318}, {.50, 265}, {.40, 212}, {.10, 53},  {.02, 11}};
  for (const auto& [rho, count] : table) EXPECT_EQ(kept_count(rho, 529), count) << rho;
}

TEST(KeptCount, IsNeverBelowOneNorAboveAllAndIgnoresRounding) {
  EXPECT_EQ(kept_count(1e-9, 529), 1);
  EXPECT_EQ(kept_count(1e-300, 1), 1);
  EXPECT_EQ(kept_count(1.0, 1), 1);
  EXPECT_EQ(kept_count(0.7, 10), 7);  // 0.7 * 10 is 7.000000000000001 on some roundings
  EXPECT_EQ(kept_count(0.1, 30), 3);  // 3.0000000000000004
  EXPECT_EQ(kept_count(std::nextafter(1.0, 0.0), 100'000), 100'000);
}

TEST(CheckRho, AcceptsOnlyTheHalfOpenUnitInterval) {
  for (const double rho : {1e-9, 0.5, 1.0}) EXPECT_NO_THROW(check_rho(rho)) << rho;
  for (const double rho :
       {0.0, -1.0, 1.0000001, static_cast<double>(kNan), static_cast<double>(kInf), -static_cast<double>(kInf)}) {
    EXPECT_EQ(code_of([&] { check_rho(rho); }), ErrorCode::kUsage) << rho;
  }
}

TEST(ChooseBest, TiesGoToTheLowerIndexAndOrderIsRestored) {
  std::vector<int> kept;
  choose_best({0.1F, 0.9F, 0.5F, 0.9F, 0.5F}, 3, kept);
  EXPECT_EQ(kept, (std::vector<int>{1, 2, 3}));
  choose_best(std::vector<float>(529, 0.25F), 53, kept);
  std::vector<int> want(53);
  std::iota(want.begin(), want.end(), 0);
  EXPECT_EQ(kept, want);
}

TEST(ChooseBest, ScoresThatAreNotFiniteAreTheLowest) {
  std::vector<int> kept;
  choose_best({kNan, 0.1F, kInf, -5.0F, -kInf}, 2, kept);
  EXPECT_EQ(kept, (std::vector<int>{1, 3}));
  choose_best({kNan, 0.1F, kInf, -5.0F, -kInf}, 3, kept);
  EXPECT_EQ(kept, (std::vector<int>{0, 1, 3}));
  choose_best(std::vector<float>(100, kNan), 4, kept);
  EXPECT_EQ(kept, (std::vector<int>{0, 1, 2, 3}));
}

TEST(ChooseBest, EqualsAFullSortOnRandomScoresWithManyTies) {
  std::mt19937 random(8);
  std::uniform_int_distribution<int> level(0, 5);
  for (int round = 0; round < 200; ++round) {
    const int count = 1 + static_cast<int>(random() % 60);
    std::vector<float> scores(static_cast<std::size_t>(count));
    for (float& score : scores) score = level(random) == 0 ? kNan : static_cast<float>(level(random));
    std::vector<int> want(scores.size());
    std::iota(want.begin(), want.end(), 0);
    std::ranges::stable_sort(want, [&](int a, int b) {
      const float x = scores[static_cast<std::size_t>(a)];
      const float y = scores[static_cast<std::size_t>(b)];
      return (std::isnan(x) ? -kInf : x) > (std::isnan(y) ? -kInf : y);
    });
    const int best = 1 + static_cast<int>(random() % static_cast<unsigned>(count));
    want.resize(static_cast<std::size_t>(best));
    std::ranges::sort(want);
    std::vector<int> kept;
    choose_best(scores, best, kept);
    EXPECT_EQ(kept, want);
  }
}

TEST(OneCut, ActsOnlyAfterItsLayerAndKeepsPrefixAndOrder) {
  const auto model = weitop_model();
  const auto pruner = made({.rho = 0.3, .prune = "weitop", .prune_layer = 1}, model);
  Sequence sequence(20, 2);
  const std::vector<float> before = sequence.values;
  tensor::Arena arena;
  pruner->after_block(0, sequence.tokens, arena);
  pruner->after_block(2, sequence.tokens, arena);
  EXPECT_EQ(sequence.tokens.patches(), 20);
  pruner->after_block(1, sequence.tokens, arena);
  ASSERT_EQ(sequence.tokens.patches(), 6);
  ASSERT_EQ(sequence.alive().size(), 6U);
  EXPECT_TRUE(std::ranges::is_sorted(sequence.tokens.kept));
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + 3 * kWidth, sequence.values.begin()));
  for (int i = 0; i < 6; ++i) {
    const int from = 3 + sequence.alive()[static_cast<std::size_t>(i)];
    EXPECT_TRUE(
        std::equal(before.begin() + from * kWidth, before.begin() + (from + 1) * kWidth, sequence.tokens.values.row(3 + i)));
  }
}

TEST(OneCut, AtRhoOneItDropsNothingButStillFillsTheTrace) {
  const auto model = weitop_model();
  const auto pruner = made({.prune = "weitop"}, model);
  Sequence sequence(20);
  tensor::Arena arena;
  pruner->after_block(1, sequence.tokens, arena);
  EXPECT_EQ(arena.capacity_bytes(), 0U) << "the student ran although nobody asked";
  ReduceTrace trace;
  pruner->set_trace(&trace);
  pruner->after_block(1, sequence.tokens, arena);
  EXPECT_EQ(sequence.tokens.patches(), 20);
  EXPECT_EQ(trace.logits.size(), 20U);
  EXPECT_EQ(trace.scores.size(), 20U);
}

TEST(OneCut, ScoresMixTheStudentAndTheNormAsKappaAndScaleSay) {
  const auto model = weitop_model();
  Sequence sequence(30);
  tensor::Arena arena;
  const auto scores = [&](const char* kind, double kappa, const char* scale) {
    const auto pruner = made({.prune = kind, .kappa = kappa, .norm_scale = scale}, model);
    ReduceTrace trace;
    pruner->set_trace(&trace);
    pruner->after_block(1, sequence.tokens, arena);
    return trace;
  };
  const auto norms = scores("norm", 0.5, "raw").scores;
  for (int i = 0; i < 30; ++i) {
    const float* x = sequence.tokens.patch_values().row(i);
    EXPECT_NEAR(norms[static_cast<std::size_t>(i)], std::sqrt(std::inner_product(x, x + kWidth, x, 0.0)), 1e-5);
  }
  const auto scaled = [](const std::vector<float>& x, std::size_t i) {
    const auto [low, high] = std::ranges::minmax(x);
    return (static_cast<double>(x[i]) - low) / (static_cast<double>(high) - low + 1e-6);
  };
  const auto logits = scores("weitop", 0.25, "minmax").logits;
  const auto mixed = scores("weitop", 0.25, "minmax").scores;
  const auto raw = scores("weitop", 0.25, "raw").scores;
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_NEAR(mixed[i], 0.25 * scaled(logits, i) + 0.75 * scaled(norms, i), 1e-5);
    EXPECT_NEAR(raw[i], 0.25 * scaled(logits, i) + 0.75 * norms[i], 1e-5);
  }
  EXPECT_TRUE(scores("norm", 0.5, "minmax").logits.empty());
}

// Logits whose softmax at the temperature is proportional to these.
std::vector<float> logits_of(const std::vector<double>& masses) {
  std::vector<float> out;
  for (const double mass : masses) out.push_back(static_cast<float>(kMassTemperature * std::log(mass)));
  return out;
}

TEST(CountOfMass, IsTheSmallestThatReachesTheMassInTheOrderOfTheScores) {
  const auto logits = logits_of({0.1, 0.4, 0.2, 0.3});
  std::vector<int> order;
  const std::vector<float> by_logit = logits, other_way{0, -2, -1, -3};  // 0.1 first, then 0.2, 0.4, 0.3
  const auto count = [&](const std::vector<float>& scores, double mass) { return count_of_mass(scores, logits, mass, order); };
  for (const auto& [mass, want] : std::vector<std::pair<double, int>>{
           {0.01, 1}, {0.399, 1}, {0.401, 2}, {0.699, 2}, {0.701, 3}, {0.899, 3}, {0.901, 4}, {1.0, 4}}) {
    EXPECT_EQ(count(by_logit, mass), want) << mass;
  }
  for (const auto& [mass, want] : std::vector<std::pair<double, int>>{{0.09, 1}, {0.11, 2}, {0.29, 2}, {0.31, 3}, {0.71, 4}}) {
    EXPECT_EQ(count(other_way, mass), want) << mass;
  }
}

TEST(CountOfMass, EqualLogitsNeedTheirShare) {
  std::vector<int> order;
  const std::vector<float> equal(40, -3.5F);
  EXPECT_EQ(count_of_mass(equal, equal, 0.25, order), 10) << "rounding of the sum costs no patch";
  EXPECT_EQ(count_of_mass(equal, equal, 0.7, order), 28);
  EXPECT_EQ(count_of_mass(equal, equal, 0.701, order), 29);
}

TEST(CountOfMass, GrowsWithTheMassAndAMassOf1KeepsAll) {
  std::mt19937 random(4);
  std::normal_distribution<float> normal;
  for (int round = 0; round < 50; ++round) {
    std::vector<float> logits(1 + random() % 90), scores(logits.size());
    for (float& logit : logits) logit = normal(random);
    for (float& score : scores) score = normal(random);
    std::vector<int> order;
    int before = 1;
    for (double mass = 0.05; mass < 1; mass += 0.05) {
      const int count = count_of_mass(scores, logits, mass, order);
      EXPECT_GE(count, before);
      before = count;
    }
    EXPECT_EQ(count_of_mass(scores, logits, 1, order), static_cast<int>(logits.size()));
  }
  std::vector<int> order;
  EXPECT_EQ(count_of_mass({9, 8, 7}, {1000, 0, 0}, 1, order), 3) << "those without any mass, too";
  EXPECT_EQ(count_of_mass({9, 8, 7}, {1000, 0, 0}, 0.999, order), 1);
}

TEST(CountOfMass, LogitsThatAreNotFiniteHaveNone) {
  std::vector<int> order;
  const auto finite = logits_of({0.5, 0.5});
  EXPECT_EQ(count_of_mass({1, kNan, 2, kInf}, {finite[0], kNan, finite[1], kInf}, 0.9, order), 2);
  EXPECT_EQ(count_of_mass({kNan, kNan, kNan}, {kNan, kInf, -kInf}, 0.1, order), 3) << "nothing is known: all stay";
}

TEST(FillTile, RowsAreAMultipleOf16OrAll) {
  EXPECT_EQ(fill_tile(1, 1, 529), 15);
  EXPECT_EQ(fill_tile(15, 1, 529), 15);
  EXPECT_EQ(fill_tile(16, 1, 529), 31);
  EXPECT_EQ(fill_tile(200, 5, 529), 203);
  EXPECT_EQ(fill_tile(528, 1, 529), 529);
  EXPECT_EQ(fill_tile(3, 1, 9), 9);
}

TEST(OneCut, KeepsTheMassOfEachPictureWithinItsLimits) {
  const auto model = weitop_model();
  tensor::Arena arena;
  const auto kept = [&](DescriptorSpec spec, std::uint32_t picture) {
    spec.prune = "weitop";
    Sequence sequence(300, 0, picture);
    for (float& value : sequence.values) value *= 0.02F * static_cast<float>(picture);  // from even logits to uneven ones
    const auto pruner = made(spec, model);
    EXPECT_EQ(pruner->patches_after(1, 300), kept_count(completed(spec).rho.value(), 300)) << "the least, before a picture";
    ReduceTrace trace;
    pruner->set_trace(&trace);
    pruner->after_block(1, sequence.tokens, arena);
    const int count = sequence.tokens.patches();
    EXPECT_EQ(pruner->patches_after(1, 300), count);
    EXPECT_EQ(pruner->patches_after(0, 300), 300);
    std::vector<int> order;
    EXPECT_EQ(count, fill_tile(std::max(kept_count(completed(spec).rho.value(), 300),
                                        count_of_mass(trace.scores, trace.logits, *spec.keep_mass, order)),
                               1, 300));
    std::vector<int> best;
    choose_best(trace.scores, count, best);
    EXPECT_EQ(std::vector<int>(sequence.tokens.kept.begin(), sequence.tokens.kept.end()), best);
    return count;
  };
  EXPECT_EQ(kept({.keep_mass = 1e-9}, 3), 79) << "a quarter is the least without a rho; 1 + 79 rows are five tiles";
  EXPECT_EQ(kept({.rho = 0.5, .keep_mass = 1e-9}, 3), 159);
  EXPECT_EQ(kept({.rho = 0.01, .keep_mass = 1}, 3), 300);
  std::vector<int> counts;
  for (std::uint32_t picture = 1; picture < 12; ++picture) counts.push_back(kept({.rho = 0.01, .keep_mass = 0.9}, picture));
  EXPECT_LT(std::ranges::min(counts), std::ranges::max(counts)) << "each picture has its own";
}

TEST(OneCut, AMassNeedsLogits) {
  const auto model = weitop_model();
  for (const char* kind : {"norm", "random", "none"}) {
    try {
      made({.keep_mass = 0.9, .prune = kind}, model);
      ADD_FAILURE() << kind;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
      EXPECT_EQ(std::string(error.what()), std::string("`keep_mass` 0.9 needs the scores of WeiToP, but `prune` is ") + kind);
    }
  }
}

TEST(SpreadScores, PutTheBestOfEveryCellBeforeTheSecondOfAny) {
  // 4 x 4 in cells of 2: the whole left beats the whole right, yet each cell has its best.
  std::vector<float> scores{12, 11, 4, 3,  //
                            10, 9,  2, 1,  //
                            16, 15, 8, 7,  //
                            14, 13, 6, 5};
  std::vector<float> scratch;
  spread_scores(scores, 4, 2, scratch);
  std::vector<int> kept;
  choose_best(scores, 4, kept);
  EXPECT_EQ(kept, (std::vector<int>{0, 2, 8, 10}));
  choose_best(scores, 6, kept);
  EXPECT_EQ(kept, (std::vector<int>{0, 1, 2, 8, 9, 10})) << "among the second best the score decides";
  EXPECT_NEAR(scores[8], (3 + 1) / 4.0, 1e-6);
  EXPECT_NEAR(scores[7], 0, 1e-6);
}

TEST(SpreadScores, CellsAreCutOffAtTheEdgesAndTiesGoToTheLowerIndex) {
  std::vector<float> scores(15, 0.5F);  // 3 rows of 5, cells of 2 x 2, 2 x 1, 1 x 2 and 1 x 1
  scores[0] = kNan;
  scores[14] = 1;
  scores[13] = 0;
  std::vector<float> scratch;
  spread_scores(scores, 5, 2, scratch);
  EXPECT_TRUE(std::isnan(scores[0]));
  const float half = 0.5F;
  EXPECT_NEAR(scores[1], (3 + half) / 4, 1e-5) << "beats 5, 6 and the one that is not a number";
  EXPECT_NEAR(scores[6], (1 + half) / 4, 1e-5);
  EXPECT_NEAR(scores[4], (1 + half) / 2, 1e-5);
  EXPECT_NEAR(scores[9], half / 2, 1e-5);
  EXPECT_NEAR(scores[12], (1 + half) / 2, 1e-5);
  EXPECT_NEAR(scores[13], 0, 1e-5);
  EXPECT_NEAR(scores[14], 1, 1e-5) << "alone in its cell";
  std::vector<int> kept;
  choose_best(scores, 6, kept);
  EXPECT_EQ(kept, (std::vector<int>{1, 2, 4, 10, 12, 14})) << "every cell is there, the corner too";
}

TEST(SpreadScores, OneCellForAllKeepsTheOrder) {
  std::mt19937 random(5);
  std::vector<float> scores(56);
  for (float& score : scores) score = static_cast<float>(random() % 9);
  std::vector<int> plain, spread;
  std::vector<float> scratch;
  choose_best(scores, 20, plain);
  spread_scores(scores, 8, 64, scratch);
  choose_best(scores, 20, spread);
  EXPECT_EQ(spread, plain);
  EXPECT_EQ(code_of([&] { spread_scores(scores, 9, 2, scratch); }), ErrorCode::kInternal);
}

TEST(OneCut, KeepsTheBestHalfOfEveryCellWhenAsked) {
  const auto model = weitop_model();
  for (const char* kind : {"weitop", "norm", "random"}) {
    Sequence sequence(48, 1, 3, 8);
    const auto pruner = made({.rho = 0.5, .prune = kind, .spread = 2}, model);
    tensor::Arena arena;
    pruner->after_block(1, sequence.tokens, arena);
    std::vector<int> per_cell(12);
    for (const int i : sequence.alive()) ++per_cell[static_cast<std::size_t>(i / 8 / 2 * 4 + i % 8 / 2)];
    EXPECT_EQ(per_cell, std::vector<int>(12, 2));
  }
}

TEST(OneCut, EqualPatchesAreKeptByIndex) {
  const auto model = weitop_model();
  for (const char* kind : {"weitop", "norm"}) {
    Sequence sequence(50);
    std::ranges::fill(sequence.values, 0.5F);
    const auto pruner = made({.rho = 0.1, .prune = kind}, model);
    tensor::Arena arena;
    pruner->after_block(1, sequence.tokens, arena);
    EXPECT_EQ(sequence.alive(), (std::vector<int>{0, 1, 2, 3, 4}));
  }
}

TEST(OneCut, PatchesThatAreNotFiniteAreDroppedFirst) {
  const auto model = weitop_model();
  for (const char* kind : {"weitop", "norm"}) {
    Sequence sequence(10);
    sequence.tokens.patch_values().row(2)[0] = kNan;
    sequence.tokens.patch_values().row(5)[3] = kInf;
    const auto pruner = made({.rho = 0.8, .prune = kind}, model);
    tensor::Arena arena;
    pruner->after_block(1, sequence.tokens, arena);
    EXPECT_EQ(sequence.alive(), (std::vector<int>{0, 1, 3, 4, 6, 7, 8, 9}));
  }
}

TEST(OneCut, RandomDependsOnSeedAndPictureOnly) {
  const model::LoadedModel model = weitop_model();
  const auto kept = [&](std::uint64_t seed, float pixel, std::uint32_t values = 1) {
    Sequence sequence(529, 0, values);
    const auto pruner = made({.rho = 0.5, .prune = "random", .seed = seed}, model);
    const std::vector<float> pixels{1.0F, pixel, 0.0F};
    pruner->see(pixels);
    tensor::Arena arena;
    pruner->after_block(1, sequence.tokens, arena);
    return sequence.alive();
  };
  EXPECT_EQ(kept(7, 0.5F, 1), kept(7, 0.5F, 2)) << "not on rounding inside the network";
  EXPECT_NE(kept(7, 0.5F), kept(8, 0.5F));
  EXPECT_NE(kept(7, 0.5F), kept(7, 0.25F));
  const auto first = kept(0, 0.5F), other = kept(0, 0.25F);
  ASSERT_EQ(first.size(), 265U);
  // Written down once, so that later versions keep the same patches of the same pixels.
  EXPECT_EQ((std::vector<int>{first.begin(), first.begin() + 8}), (std::vector<int>{3, 4, 6, 7, 10, 12, 15, 18}));
  // A fair choice: the mean index of 265 of 529 is 264 with a standard deviation of about 6.6, and two pictures share about half.
  EXPECT_NEAR(std::accumulate(first.begin(), first.end(), 0.0) / 265.0, 264.0, 27.0);
  std::vector<int> shared;
  std::ranges::set_intersection(first, other, std::back_inserter(shared));
  EXPECT_NEAR(static_cast<double>(shared.size()), 133.0, 25.0);
}

TEST(OneCut, RefusesSettingsThatCannotBeMeant) {
  const auto model = weitop_model();
  model::LoadedModel bare;
  bare.config.vit().width = kWidth;
  bare.config.vit().depth = 3;
  const auto refused = [](const DescriptorSpec& spec, const model::LoadedModel& m) {
    return code_of([&] { made(spec, m); }) == ErrorCode::kUsage;
  };
  for (const double rho : {0.0, -1.0, static_cast<double>(kNan), 1.0000001}) {
    EXPECT_TRUE(refused({.rho = rho, .prune = "weitop"}, model)) << rho;
  }
  for (const double kappa : {-0.1, 1.1, static_cast<double>(kNan)}) {
    EXPECT_TRUE(refused({.prune = "weitop", .kappa = kappa}, model)) << kappa;
  }
  for (const int spread : {0, -2, 65}) EXPECT_TRUE(refused({.prune = "norm", .spread = spread}, model)) << spread;
  EXPECT_TRUE(refused({.prune = "norm", .prune_layer = -1}, model));
  EXPECT_TRUE(refused({.prune = "norm", .prune_layer = 4}, model));
  EXPECT_TRUE(refused({.prune = "weitop"}, bare));
  EXPECT_TRUE(refused({.prune = "weitop", .prune_layer = 2}, model)) << "WeiToP knows the tokens it was trained on";
  EXPECT_NO_THROW(made({.prune = "norm", .prune_layer = 2}, model));
  auto later = model;
  later.config.own.prune_layer = 2;
  EXPECT_NO_THROW(made({.prune = "weitop", .prune_layer = 2}, later));
  EXPECT_TRUE(refused({.prune = "weitop", .prune_layer = 1}, later));
  EXPECT_TRUE(refused({.rho = 0.5, .prune = "none"}, bare));
  EXPECT_NO_THROW(made({.prune = "none"}, bare));
  const auto pruner = made({.rho = 1e-9, .prune = "norm"}, bare);
  Sequence sequence(10);
  tensor::Arena arena;
  pruner->after_block(1, sequence.tokens, arena);
  EXPECT_EQ(sequence.tokens.patches(), 1);
}

}  // namespace
}  // namespace revisit::reduce

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lab/report/sheet.h"
#include "revisit/lab/report.h"

namespace revisit::report {
namespace {

Image plain(int width, int height, std::uint8_t grey) {
  return {width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(3 * width * height), grey)};
}

Image noise(int width, int height) {
  Image image = plain(width, height, 0);
  std::uint32_t state = 1;
  for (auto& value : image.rgb) value = static_cast<std::uint8_t>((state = state * 1664525U + 1013904223U) >> 24U);
  return image;
}

const std::uint8_t* pixel(const Image& image, int x, int y) {
  return &image.rgb[3 * static_cast<std::size_t>(y * image.width + x)];
}

bool same_pixel(const Image& a, const Image& b, int x, int y) {
  return std::equal(pixel(a, x, y), pixel(a, x, y) + 3, pixel(b, x, y));
}

double light(Colour c) { return 0.299 * c.r + 0.587 * c.g + 0.114 * c.b; }

/// Two clusters, three of the four patches of a 2 x 2 grid; patch 1 was pruned.
Trace small_trace(bool tiers) {
  Trace trace;
  trace.kept = {0, 2, 3};
  trace.transport = {{3, 2}, {0.5F, 0.25F, 0.0F, 0.125F, 0.25F, 0.5F}};
  if (tiers) {
    trace.tier = {1, 0};
    trace.tier_weight = {{2}, {1.0F, 0.5F}};
    trace.alpha = {{2}, {0.5F, 0.75F}};
    trace.importance = {{3}, {0.5F, 0.125F, 0.625F}};
  }
  return trace;
}

TEST(HeatColour, GetsLighterAllTheWayAndIsClamped) {
  for (int i = 0; i < 100; ++i) EXPECT_LT(light(heat_colour(i / 100.0)), light(heat_colour((i + 1) / 100.0))) << i;
  EXPECT_EQ(heat_colour(-3), heat_colour(0));
  EXPECT_EQ(heat_colour(7), heat_colour(1));
}

TEST(PatchMap, KeptTokensLieWhereTheirIndicesSay) {
  const Image photo = plain(60, 20, 200);  // patches of 20 x 10 pixels
  const std::vector<std::int64_t> kept{1, 3};
  const Image mask = mask_over(photo, {2, 3}, kept, {}, false);
  for (int patch = 0; patch < 6; ++patch) {
    const int x = patch % 3 * 20 + 10, y = patch / 3 * 10 + 5;
    EXPECT_EQ(same_pixel(mask, photo, x, y), patch == 1 || patch == 3) << patch;
  }
  EXPECT_FALSE(same_pixel(mask_over(photo, {2, 3}, kept, {}), mask, 20, 5))
      << "an outline runs where kept and pruned patches meet";
}

TEST(PatchMap, MergedPatchesAreOrange) {
  const Image photo = plain(60, 20, 200);  // patches of 20 x 10 pixels
  const std::vector<std::int64_t> kept{1, 3}, owner{1, 1, -1, 3, 3, -1};
  const Image mask = mask_over(photo, {2, 3}, kept, owner, false);
  for (int patch = 0; patch < 6; ++patch) {
    const std::uint8_t* at = pixel(mask, patch % 3 * 20 + 10, patch / 3 * 10 + 5);
    const bool orange = at[0] > at[1] + 40 && at[1] > at[2] + 20, grey = at[0] == at[1] && at[1] == at[2];
    EXPECT_EQ(orange, patch == 0 || patch == 4) << patch;
    EXPECT_EQ(grey, patch != 0 && patch != 4) << patch;
    EXPECT_EQ(at[0] == 200, patch == 1 || patch == 3) << patch;
    EXPECT_EQ(at[0] < 80, patch == 2 || patch == 5) << patch << ": dropped patches are dark";
  }
  const Image outlined = mask_over(photo, {2, 3}, kept, owner);
  for (const int x : {20, 40}) EXPECT_FALSE(same_pixel(outlined, mask, x, 5)) << "merged, kept and dropped have a line between";
}

TEST(PatchMap, MergedPatchesHaveTheValueOfTheirToken) {
  const std::vector<std::int64_t> kept{1, 3}, owner{3, 1, -1, 3};
  const std::vector<float> values{0.5F, 2};
  const auto all = report::placed(values, kept, owner, {2, 2});
  EXPECT_EQ(all[0], 2);
  EXPECT_EQ(all[1], 0.5F);
  EXPECT_TRUE(std::isnan(all[2]));
  EXPECT_EQ(all[3], 2);
}

TEST(PatchMap, HeatBlendsBetweenPatchesAndLeavesPrunedOnesDark) {
  const float none = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> values{0, 1, none, 1};
  const Image heat = heat_over(plain(40, 40, 128), {2, 2}, values, {0, 1});
  const auto at = [&](int x, int y) { return light({pixel(heat, x, y)[0], pixel(heat, x, y)[1], pixel(heat, x, y)[2]}); };
  EXPECT_LT(at(5, 5), at(20, 5));
  EXPECT_LT(at(20, 5), at(35, 5));
  EXPECT_LT(at(5, 35), 45) << "pruned";
  EXPECT_EQ(pixel(heat, 5, 35)[0], pixel(heat, 5, 35)[2]) << "pruned patches have no colour";
  EXPECT_NEAR(at(35, 35), at(35, 25), 1) << "a missing neighbour does not pull a value down";
}

TEST(PatchMap, AsManyAreKeptAsThePaperSaysAndTiesGoToTheFirst) {
  std::vector<float> scores(529);
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = static_cast<float>(i * 37 % 101);
  const std::pair<double, std::size_t> expected[] = {{0.95, 503}, {0.9, 477}, {0.8, 424}, {0.7, 371},
                                                     {0.6, 318},  {0.5, 265}, {0.4, 212}, {1, 529}};
  for (const auto& [rho, count] : expected) EXPECT_EQ(kept_at(scores, rho).size(), count) << rho;
  const std::vector<float> tied{1, 2, 1, 2, 1};
  EXPECT_EQ(kept_at(tied, 0.6), (std::vector<std::int64_t>{0, 1, 3}));
}

TEST(PatchScoresOf, TakesThePruningScoreElseImportanceElseMass) {
  Trace trace = small_trace(false);
  auto scores = patch_scores(trace, {2, 2});
  EXPECT_EQ(scores.meaning, "assigned mass");
  EXPECT_FLOAT_EQ(scores.values[0], 0.75F);
  EXPECT_TRUE(std::isnan(scores.values[1]));
  EXPECT_FLOAT_EQ(scores.values[3], 0.75F);
  trace = small_trace(true);
  scores = patch_scores(trace, {2, 2});
  EXPECT_EQ(scores.meaning, "importance");
  EXPECT_FLOAT_EQ(scores.values[2], 0.125F);
  trace.scores = {{4}, {4, 1, 2, 3}};
  EXPECT_EQ(patch_scores(trace, {2, 2}).meaning, "pruning score");
  EXPECT_EQ(patch_scores(trace, {2, 2}).values, trace.scores.values);
}

TEST(PatchScoresOf, GivesMergedPatchesTheScoreOfTheirToken) {
  Trace trace = small_trace(true);
  trace.mass = {{3}, {1, 1, 2}};
  trace.owner = {0, 3, 2, 3};
  const auto scores = patch_scores(trace, {2, 2});
  EXPECT_EQ(scores.values, (std::vector<float>{0.5F, 0.625F, 0.125F, 0.625F}));
  EXPECT_EQ(scores.owner, trace.owner);
}

TEST(PatchScoresOf, RefusesATraceOfAnotherGrid) {
  Trace trace = small_trace(true);
  for (const Size grid : {Size{1, 3}, Size{0, 0}}) {
    try {
      draw_token_pictures(plain(20, 20, 9), trace, grid);
      ADD_FAILURE() << grid.height;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
    }
  }
  trace.importance.values.pop_back();
  EXPECT_THROW(patch_scores(trace, {2, 2}), Error);
}

TEST(TokenPictures, RefusesNumbersThatDoNotBelongTogether) {
  const std::pair<const char*, void (*)(Trace&)> spoilt[] = {
      {"owners of another grid",
       [](Trace& t) {
         t.owner = {0, 0, 2};
       }},
      {"a patch owned by a dropped one",
       [](Trace& t) {
         t.owner = {0, 1, 2, 3};
       }},
      {"a kept patch owned by another",
       [](Trace& t) {
         t.owner = {0, 0, 3, 3};
       }},
      {"an owner beyond the grid",
       [](Trace& t) {
         t.owner = {0, 4, 2, 3};
       }},
      {"fewer values", [](Trace& t) { t.transport.values.pop_back(); }},
      {"no values", [](Trace& t) { t.transport.values.clear(); }},
      {"values without a shape", [](Trace& t) { t.transport.shape.clear(); }},
      {"more clusters", [](Trace& t) { t.transport.shape[1] = 3; }},
      {"clusters whose product wraps", [](Trace& t) { t.transport.shape[1] = std::int64_t{1} << 62U; }},
      {"a negative number of clusters", [](Trace& t) { t.transport.shape[1] = -2; }},
      {"a tier too high",
       [](Trace& t) {
         t.tier = {2, 0};
       }},
      {"a tier below zero",
       [](Trace& t) {
         t.tier = {-1, 0};
       }},
      {"no cluster in any tier",
       [](Trace& t) {
         t.tier = {7, 7};
       }},
      {"tiers of fewer clusters", [](Trace& t) { t.tier = {0}; }},
      {"tiers without weights", [](Trace& t) { t.tier_weight = {}; }},
      {"clusters without patches", [](Trace& t) {
         t = {};
         t.transport.shape = {0, std::int64_t{1} << 40U};
       }}};
  for (const auto& [what, spoil] : spoilt) {
    Trace trace = small_trace(true);
    spoil(trace);
    try {
      draw_token_pictures(plain(20, 20, 9), trace, {2, 2});
      ADD_FAILURE() << what;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage) << what;
    }
  }
  EXPECT_THROW(draw_token_pictures({20, 20, {1, 2, 3}}, small_trace(true), {2, 2}), Error);
  EXPECT_THROW(draw_token_pictures({}, small_trace(true), {2, 2}), Error);
  EXPECT_THROW(draw_token_pictures(plain(20, 20, 9), small_trace(true), {1'000'000'000, 1'000'000'000}), Error);
  EXPECT_THROW(draw_sheet({}), Error);
  EXPECT_THROW(draw_sheet({{}}), Error);
}

TEST(TokenPictures, ManyTiersDoNotMakeAPictureTooTallToDraw) {
  Trace trace;
  trace.kept = {0};
  for (int j = 0; j < 300; ++j) {
    trace.tier.push_back(j);
    trace.tier_weight.values.push_back(1);
    trace.transport.values.push_back(0.5F);
  }
  trace.transport.shape = {1, 300};
  const auto pictures = draw_token_pictures(noise(40, 40), trace, {2, 2});
  ASSERT_TRUE(pictures.transport);
  EXPECT_EQ(pictures.transport->height, 16 + 50 * (40 + 220 + 16));
}

TEST(TokenPictures, ThereIsAPictureForWhatTheModelHas) {
  const Image photo = noise(64, 48);
  const auto bare = draw_token_pictures(photo, {}, {2, 2});
  EXPECT_FALSE(bare.importance || bare.mass || bare.kept || bare.transport);
  const auto salad = draw_token_pictures(photo, small_trace(false), {2, 2});
  const auto weiad = draw_token_pictures(photo, small_trace(true), {2, 2});
  ASSERT_TRUE(salad.importance && salad.mass && salad.kept && salad.transport);
  ASSERT_TRUE(weiad.importance && weiad.mass && weiad.kept && weiad.transport);
  EXPECT_EQ(salad.mass->width, 16 + 2 * (320 + 16)) << "photo and unweighted mass";
  Trace weighed = small_trace(false);  // as SALAD leaves it: an importance, but no tiers
  weighed.importance = {{3}, {0.75F, 0.125F, 0.75F}};
  EXPECT_EQ(draw_token_pictures(photo, weighed, {2, 2}).mass->width, salad.mass->width) << "nothing of WeiAD's tiers";
  EXPECT_EQ(weiad.mass->width, 16 + 4 * (320 + 16)) << "also weighted mass and mean weight";
  EXPECT_GT(weiad.transport->height, salad.transport->height) << "a row a tier";
  EXPECT_LT(weiad.kept->width, 16 + 5 * (320 + 16)) << "without scores there is no strip of ratios";
}

TEST(TokenPictures, ShowWhatWasMerged) {
  const Image photo = noise(64, 48);
  Trace trace = small_trace(true);
  const auto dropped = draw_token_pictures(photo, trace, {2, 2});
  trace.owner = {0, 0, 2, 3};
  const auto merged = draw_token_pictures(photo, trace, {2, 2});
  const auto differ = [](const std::optional<Image>& a, const std::optional<Image>& b) { return a && b && a->rgb != b->rgb; };
  EXPECT_TRUE(differ(dropped.kept, merged.kept));
  EXPECT_TRUE(differ(dropped.importance, merged.importance));
  EXPECT_TRUE(differ(dropped.mass, merged.mass));
  EXPECT_TRUE(differ(dropped.transport, merged.transport));
}

TEST(TokenPictures, ARealModelGivesAllFourAndTheStripAgreesWithThePruner) {
  DescriptorSpec options;
  options.rho = 0.5;
  options.size = Size{112, 140};
  Extractor extractor(Model::random("demo", 3), options);
  const Size grid = patch_grid(extractor);
  EXPECT_EQ(grid, (Size{8, 10}));
  const Image photo = noise(80, 60);
  Trace trace;
  extractor.describe(photo, &trace);
  ASSERT_EQ(trace.kept.size(), 40U);
  EXPECT_EQ(kept_at(trace.scores.values, 0.5), trace.kept);
  const auto pictures = draw_token_pictures(photo, trace, grid);
  ASSERT_TRUE(pictures.importance && pictures.mass && pictures.kept && pictures.transport);
  EXPECT_EQ(pictures.kept->width, 16 + 5 * (320 + 16)) << "photo, scores, this run and seven ratios in two rows";
}

}  // namespace
}  // namespace revisit::report

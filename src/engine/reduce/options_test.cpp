// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How much each method leaves, what rho becomes for it, and what is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/model/model_file.h"
#include "engine/reduce/share.h"
#include "engine/spec/prune_options.h"
#include "revisit/error.h"

namespace revisit::reduce {
namespace {

model::LoadedModel twelve_blocks(int predictors = 0) {
  model::LoadedModel model;
  auto& vit = model.config.vit();
  vit.width = 16;
  vit.heads = 2;
  vit.depth = 12;
  model.config.predictors = predictors;
  model.config.own.prune = predictors > 0 ? "dynamicvit" : "none";
  for (const auto& [name, shape] : model::required_tensors(model.config)) {
    if (!name.starts_with(model::kPredictorRoot)) continue;
    std::int64_t count = 1;
    for (const auto side : shape) count *= side;
    std::vector<float> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(std::sin(static_cast<double>(i * 7 + name.size())));
    model.weights.add_f32(name, shape, std::move(values));
  }
  return model;
}

std::unique_ptr<TokenReducer> reducer_of(const DescriptorSpec& spec, const model::LoadedModel& model) {
  return make_reducer(completed(spec), model);
}

int left_by(const char* prune, const std::string& options, int blocks = 12, int patches = 529) {
  const auto model = twelve_blocks(3);
  return reducer_of({.prune = prune, .prune_options = options}, model)->patches_after(blocks, patches);
}

std::string refusal(const DescriptorSpec& spec, int patches = 529) {
  const auto model = twelve_blocks();
  try {
    reducer_of(spec, model)->check(patches);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    return error.what();
  }
  return "(accepted)";
}

TEST(HowMuchIsLeft, IsWhatThePapersTableHas) {
  // r of ToMe and the patches of 529 that twelve blocks leave.
  for (const auto& [r, left] : std::vector<std::pair<int, int>>{{17, 325}, {19, 301}, {25, 229}, {30, 169}, {40, 49}, {50, 10}}) {
    EXPECT_EQ(left_by("tome", "r=" + std::to_string(r)), left) << r;
  }
  // Shares of ToFu, as printed with two digits.
  for (const auto& [keep, share] : std::vector<std::pair<const char*, double>>{
           {"0.96", .61}, {"0.94", .48}, {"0.92", .37}, {"0.90", .28}, {"0.85", .14}, {"0.80", .07}}) {
    EXPECT_NEAR(left_by("tofu", std::string("keep=") + keep) / 529.0, share, 0.006) << keep;
  }
  // Rates of DynamicViT per stage.
  for (const auto& [keep, share] : std::vector<std::pair<const char*, double>>{
           {"0.86", .64}, {"0.80", .51}, {"0.75", .42}, {"0.70", .34}, {"0.60", .22}, {"0.50", .13}, {"0.47", .10}}) {
    EXPECT_NEAR(left_by("dynamicvit", std::string("keep=") + keep) / 529.0, share, 0.0065) << keep;
  }
}

TEST(HowMuchIsLeft, ChangesOnlyWhereTheMethodActs) {
  EXPECT_EQ(left_by("evit", "keep=0.5,fuse=false", 3), 529) << "blocks 3, 6 and 9 of twelve";
  EXPECT_EQ(left_by("evit", "keep=0.5,fuse=false", 4), 265);
  EXPECT_EQ(left_by("evit", "keep=0.5,fuse=true", 7), 134) << "the fused token is one of 266";
  EXPECT_EQ(left_by("dynamicvit", "keep=0.5", 2), 529);
  EXPECT_EQ(left_by("dynamicvit", "keep=0.5", 3), 264) << "before block 3";
  EXPECT_EQ(left_by("dynamicvit", "keep=0.5,at=1|2|11", 11), 66);
  EXPECT_EQ(left_by("tome", "r=10|0|5", 1), 519);
  EXPECT_EQ(left_by("tome", "r=10|0|5", 12), 514);
  EXPECT_EQ(left_by("fastv", "keep=0.5,at=4", 4), 529);
  EXPECT_EQ(left_by("fastv", "keep=0.5,at=4", 5), 265);
}

TEST(Rho, BecomesTheNumberThatComesNearest) {
  const auto model = twelve_blocks(3);
  for (const double rho : {0.95, 0.8, 0.7, 0.5, 0.4, 0.25, 0.1, 0.02}) {
    for (const auto& [prune, step] :
         std::vector<std::pair<const char*, double>>{{"fastv", 1}, {"evit", 1.5}, {"tome", 6}, {"tofu", 1}, {"dynamicvit", 1}}) {
      const auto reducer = reducer_of({.rho = rho, .prune = prune}, model);
      EXPECT_NEAR(reducer->patches_after(12, 529), rho * 529, step) << prune << ' ' << rho;
      EXPECT_LE(reducer->patches_after(12, 529), reducer->patches_after(6, 529));
      EXPECT_EQ(reducer->patches_after(12, 1), 1) << prune;
    }
  }
  EXPECT_EQ(reducer_of({.rho = 0.5, .prune = "tome"}, model)->sentence(529),
            "tome merges r = 22 patches in each block: 265 of 529 patches are left (0.501)");
  EXPECT_EQ(reducer_of({.rho = 0.5, .prune = "tome", .prune_options = "inflect=-1"}, model)->patches_after(12, 529), 265);
  EXPECT_EQ(reducer_of({.rho = 0.5, .prune = "evit", .prune_options = "fuse=false"}, model)->sentence(529).substr(0, 10),
            "evit keeps");
}

TEST(Rho, OfOneLeavesEverythingAlone) {
  const auto model = twelve_blocks(3);
  for (const char* prune : {"fastv", "evit", "tome", "tofu", "dynamicvit"}) {
    const auto reducer = reducer_of({.prune = prune}, model);
    EXPECT_EQ(reducer->patches_after(12, 529), 529) << prune;
    EXPECT_EQ(reducer->sentence(529), "") << prune;
    EXPECT_EQ(reducer->macs(529), 0) << prune;
    for (int block = 0; block < 12; ++block) EXPECT_EQ(reducer->needs(block), tensor::TokenHook::Needs::kNothing) << prune;
  }
}

TEST(PruneOptions, AreRefusedInOneSentence) {
  EXPECT_EQ(refusal({.prune = "tome", .prune_options = "r=7"}), "(accepted)");
  EXPECT_EQ(refusal({.prune = "tome", .prune_options = "r=265"}),
            "tome cannot merge r = 265 of 529 patches in a block: at most 264");
  EXPECT_EQ(refusal({.prune = "tome", .prune_options = "r=150,inflect=-1"}),
            "tome cannot merge r = 300 of 529 patches in a block: at most 264");
  EXPECT_EQ(refusal({.prune = "tome", .prune_options = "r=264"}), "(accepted)");
  EXPECT_EQ(refusal({.prune = "tome", .prune_options = "r=-1"}),
            "r of `prune` tome is '-1', but must be whole numbers from 0 to 1000000, such as 0|1");
  EXPECT_EQ(refusal({.prune = "tome", .prune_options = "keep=0.5"}),
            "`prune` tome has no option 'keep'; it has r, inflect, prop_attn, by_mass");
  EXPECT_EQ(refusal({.prune = "tome", .prune_options = "r=1|1|1|1|1|1|1|1|1|1|1|1|1"}),
            "r of `prune` tome has 13 numbers, but the model has 12 blocks");
  EXPECT_EQ(refusal({.prune = "evit", .prune_options = "keep=0"}), "keep of `prune` evit is '0', but must be a number in (0, 1]");
  EXPECT_EQ(refusal({.prune = "evit", .prune_options = "keep=nan"}),
            "keep of `prune` evit is 'nan', but must be a number in (0, 1]");
  EXPECT_EQ(refusal({.prune = "evit", .prune_options = "at=3|3"}),
            "at of `prune` evit is '3|3', but must be blocks in ascending order, each once, such as 3|6|9");
  EXPECT_EQ(refusal({.prune = "evit", .prune_options = "at=12"}),
            "at of `prune` evit is '12', but must be whole numbers from 0 to 11, such as 0|1");
  EXPECT_EQ(refusal({.prune = "evit", .prune_options = "fuse=yes"}), "fuse of `prune` evit is 'yes', but must be true or false");
  EXPECT_EQ(refusal({.prune = "fastv", .prune_options = "at=1|3"}),
            "at of `prune` fastv is '1|3', but must be a whole number from 0 to 11");
  EXPECT_EQ(refusal({.prune = "norm", .prune_options = "r=7"}), "`prune_options` r=7 cannot be used: `prune` norm has none");
  EXPECT_EQ(refusal({.rho = 0.5, .prune = "tome", .prune_options = "r=7"}),
            "rho 0.5 and `prune_options` r=7 both say how much is kept");
  EXPECT_EQ(refusal({.rho = 0.5, .prune = "dynamicvit"}),
            "dynamicvit prunes by predictors trained with the model, but this model has none");
  const auto three = twelve_blocks(3);
  EXPECT_THROW(reducer_of({.prune = "dynamicvit", .prune_options = "keep=0.5,at=3|6"}, three), Error);
}

TEST(PruneOptions, ArePairsEachKeyOnce) {
  EXPECT_EQ(prune_options_text(*parse_prune_options("r=7,prop_attn=true")), "prop_attn=true,r=7");
  for (const char* text : {"", "r", "r=", "=7", "r=7,", ",r=7", "r=7,r=8", "r=7;a=1", "R=7", "r = 7", "r=7 "})
    EXPECT_FALSE(parse_prune_options(text)) << text;
  EXPECT_FALSE(parse_prune_options("a=" + std::string(500, '1')));
  EXPECT_TRUE(says_how_much(std::string("at=3,keep=0.5")));
  EXPECT_FALSE(says_how_much(std::string("at=3")));
  EXPECT_EQ(without_how_much(std::string("at=3,keep=0.5")), "at=3");
  EXPECT_EQ(without_how_much(std::string("r=3")), std::nullopt);
}

TEST(EvenBlocks, CutTheNetworkIntoEqualParts) {
  EXPECT_EQ(even_blocks(12, 3), (std::vector<int>{3, 6, 9}));
  EXPECT_EQ(even_blocks(4, 3), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(even_blocks(5, 2), (std::vector<int>{1, 3}));
  EXPECT_EQ(even_blocks(1, 3), std::vector<int>{0});
  EXPECT_EQ(blocks_text({3, 6, 9}), "blocks 3, 6 and 9");
  EXPECT_EQ(blocks_text({2}), "block 2");
}

}  // namespace
}  // namespace revisit::reduce

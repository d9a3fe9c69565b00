// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The twin against the inference engine: the same model and picture must give the same descriptor, or training would optimise
// something that is never run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "engine/reduce/one_cut.h"
#include "revisit/extractor.h"
#include "training/train/network.h"
#include "training/train/test_networks.h"
#include "training/train/test_tensors.h"

namespace revisit::train {
namespace {

struct Kind {
  const char* name;
  std::function<void(model::Config&)> change;
};

void make_salad(model::Config& config) {
  config.head.kind = model::kSalad;
  config.head.transport().tiers.clear();
}

const std::vector<Kind> kKinds{
    {"weiad", [](model::Config&) {}},
    {"registers_swiglu",
     [](model::Config& c) {
       c.vit().registers = 4;
       c.vit().swiglu = true;
       c.vit().pos_rule = model::PosRule::kHubAntialias;
     }},
    {"timm",
     [](model::Config& c) {
       c.vit().layer_scale = false;
       c.vit().pos_rule = model::PosRule::kTimm;
       c.vit().pos_cols = 7;
     }},
    {"hugging_face", [](model::Config& c) { c.vit().pos_rule = model::PosRule::kHf; }},
    {"dustbin_only", [](model::Config& c) { c.head.transport().ghost = false; }},
    {"ghost_only", [](model::Config& c) { c.head.transport().dustbin = false; }},
    {"neither", [](model::Config& c) { c.head.transport().dustbin = c.head.transport().ghost = false; }},
    {"weights_cancelled", [](model::Config& c) { c.head.transport().norm = model::ClusterNorm::kSalad; }},
    {"no_cluster_norm", [](model::Config& c) { c.head.transport().norm = model::ClusterNorm::kNone; }},
    {"frozen_ranking", [](model::Config& c) { c.head.transport().frozen_ranking = true; }},
    {"one_tier_one_iteration",
     [](model::Config& c) {
       c.head.transport().tiers = {12};
       c.head.transport().sinkhorn_iters = 1;
     }},
    {"floor_and_penalty",
     [](model::Config& c) {
       c.head.transport().tier_floor = 0.85;
       c.head.transport().ghost_penalty = 2;
     }},
    {"raw_norms",
     [](model::Config& c) {
       c.own.norm_scale = "raw";
       c.own.kappa = 0.9;
     }},
    {"best_of_each_cell", [](model::Config& c) { c.own.spread = 2; }},
    {"pruned_before_the_blocks", [](model::Config& c) { c.own.prune_layer = 0; }},
    {"pruned_where_blocks_learn", [](model::Config& c) { c.own.prune_layer = 3; }},
    {"pruned_at_the_end", [](model::Config& c) { c.own.prune_layer = 4; }},
    {"salad", make_salad},
    {"salad_registers",
     [](model::Config& c) {
       make_salad(c);
       c.vit().registers = 2;
       c.vit().pos_rule = model::PosRule::kHubAntialias;
     }},
};

/// How clear the choice is: the smallest step of sorted `values` where they are cut.
double gap_at(std::vector<float> values, const std::vector<int>& sizes) {
  std::ranges::sort(values, std::greater<>());
  double gap = INFINITY;
  std::size_t cut = 0;
  for (const int size : sizes) {
    cut += static_cast<std::size_t>(size);
    if (cut < values.size()) gap = std::min(gap, static_cast<double>(values[cut - 1]) - values[cut]);
  }
  return gap;
}

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0) /
         std::sqrt(std::inner_product(a.begin(), a.end(), a.begin(), 0.0) *
                   std::inner_product(b.begin(), b.end(), b.begin(), 0.0));
}

class Twin : public ::testing::TestWithParam<Kind> {};

TEST_P(Twin, GivesTheEnginesDescriptorsAtEveryRhoAndSize) {
  model::Config config = testing::small_config();
  GetParam().change(config);
  const auto model = model::make_random(config, 11);
  NetworkOptions options;
  options.trained_blocks = 2;
  const Network network(*model, options);
  const torch::NoGradGuard no_grad;
  int compared = 0;
  int on_edge = 0;
  double lowest = 1;
  for (const Size size : {Size{112, 112}, Size{84, 140}, Size{70, 70}}) {
    const torch::Tensor pixels = testing::pictures(2, size, 5);
    for (const double rho : {1.0, 0.7, 0.5, 0.3}) {
      const int patches = size.height / 14 * (size.width / 14);
      const int kept = reduce::kept_count(rho, patches);
      const bool one_sided =
          config.head.kind == model::kSalad || (config.head.transport().dustbin && !config.head.transport().ghost);
      if (one_sided && kept <= config.head.transport().clusters) continue;  // refused, see below
      SCOPED_TRACE(fmt::format("{}x{} rho {}", size.height, size.width, rho));
      const Forward out = network.forward(network.frozen(pixels, rho), false, rho);
      DescriptorSpec engine_options;
      engine_options.rho = rho;
      Extractor engine(Model(model), engine_options, 1);
      for (int image = 0; image < 2; ++image) {
        Trace trace;
        const auto want = engine.describe_tensor(testing::values_of(pixels[image]), size, &trace);
        const auto got = testing::values_of(out.descriptor[image]);
        ASSERT_EQ(got.size(), want.size());
        // Rounding differs, so close choices are not compared: nearly all are clear, see below.
        const bool patch_on_edge = rho < 1 && gap_at(trace.scores.values, {kept}) < 1e-5;
        const bool ranked = !trace.alpha.values.empty() && !config.head.transport().frozen_ranking;
        const bool cluster_on_edge = ranked && gap_at(trace.alpha.values, config.head.transport().tiers) < 1e-5;
        if (patch_on_edge || cluster_on_edge) {
          ++on_edge;
          continue;
        }
        ++compared;
        lowest = std::min(lowest, cosine(got, want));
        EXPECT_GE(lowest, 0.99999);
        EXPECT_NEAR(cosine(got, got), 1.0, 1e-9);
        ASSERT_EQ(out.kept.defined(), rho < 1);
        if (rho < 1) {
          EXPECT_TRUE(torch::equal(out.kept[image], torch::tensor(trace.kept, torch::kInt64)));
        }
        EXPECT_LT(testing::distance(out.importance[image], torch::tensor(trace.importance.values)), 1e-4);
        ASSERT_EQ(out.scores.sizes(), out.importance.sizes());
        for (std::size_t i = 0; i < trace.kept.size(); ++i) {
          ASSERT_NEAR(out.scores[image][static_cast<std::int64_t>(i)].item<float>(),
                      trace.logits.values[static_cast<std::size_t>(trace.kept[i])], 1e-4);
        }
        ASSERT_EQ(out.tier_of.defined(), !trace.tier.empty());
        if (out.tier_of.defined()) {
          EXPECT_TRUE(torch::equal(out.tier_of[image], torch::tensor(trace.tier, torch::kInt64)));
        }
        ASSERT_EQ(out.ghost.defined(), !trace.ghost.values.empty());
        if (out.ghost.defined()) {
          EXPECT_LT(testing::distance(out.ghost[image], torch::tensor(trace.ghost.values)), 1e-4);
        }
      }
    }
  }
  EXPECT_GE(compared, 16);
  EXPECT_LE(on_edge, 2);
  RecordProperty("compared", compared);
  RecordProperty("lowest_cosine", fmt::format("{:.8f}", lowest));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Twin, ::testing::ValuesIn(kKinds), [](const auto& one) { return std::string(one.param.name); });

TEST(TwinTokens, AreThoseOfTheEngine) {
  model::Config config = testing::small_config();
  config.vit().registers = 3;
  const auto model = model::make_random(config, 4);
  const Network network(*model, {});
  const torch::Tensor pixels = testing::pictures(1, {84, 98}, 8);
  Extractor engine(Model(model), {}, 1);
  Trace trace;
  engine.describe_tensor(testing::values_of(pixels), {84, 98}, &trace);
  const torch::NoGradGuard no_grad;
  const torch::Tensor last = network.tokens(pixels, -1)[0];
  EXPECT_LT(testing::distance(last.slice(0, 4), testing::copy_of(trace.patches.values, trace.patches.shape)), 1e-4);
  EXPECT_LT(testing::distance(last[0], testing::copy_of(trace.cls.values, trace.cls.shape)), 1e-4);
  const torch::Tensor block0 = testing::copy_of(trace.tokens_block0.values, trace.tokens_block0.shape);
  EXPECT_LT(testing::distance(network.tokens(pixels, 0)[0], block0), 1e-4);
}

TEST(TwinTokens, AnImageDoesNotDependOnItsBatch) {
  const auto model = model::make_random(testing::small_config(), 3);
  const Network network(*model, {});
  const torch::Tensor pixels = testing::pictures(5, {70, 70}, 2);
  const torch::NoGradGuard no_grad;
  const torch::Tensor together = network.forward(network.frozen(pixels, 0.5), false, 0.5).descriptor;
  const torch::Tensor alone = network.forward(network.frozen(pixels.slice(0, 3, 4), 0.5), false, 0.5).descriptor;
  EXPECT_LT(testing::distance(together[3], alone[0]), 1e-5);
}

}  // namespace
}  // namespace revisit::train

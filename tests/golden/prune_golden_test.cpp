// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// WeiToP against the recorded case: logits, scores and kept patches for every rho, from the recorded tokens after block 0.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "engine/model/containers.h"
#include "engine/reduce/one_cut.h"
#include "golden.h"

namespace revisit {
namespace {

using revisit::testing::GoldenCase;

/// "_98x140_rho0.95": numbers as the case spells them in its keys.
std::string key(const char* what, const std::string& size, const std::string& rho) {
  return std::string(what) + "_" + size + "_rho" + rho;
}

class WeitopGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(WeitopGolden, LogitsScoresAndKeptPatchesAgreeForEveryRho) {
  REVISIT_REQUIRE_SHARED("golden/weitop_e2e");
  const GoldenCase golden("weitop_e2e");
  const std::string size = GetParam();
  model::LoadedModel model;
  model.weights = model::read_checkpoint(golden.checkpoint()).weights;
  const auto& first = model.weights.at("weitop.0.weight").shape;
  const int width = static_cast<int>(first.at(1));
  model.config.vit().width = width;
  model.config.vit().depth = golden.json()["constructor"]["backbone"]["depth"].get<int>();
  model.config.weitop_hidden = static_cast<int>(first.at(0));

  const std::vector<float> patches = golden.f32("Xs_" + size);  // (N0, D)
  const int count = static_cast<int>(patches.size()) / width;
  const double kappa = golden.json()["constructor"]["kappa"].get<double>();
  reduce::ReduceTrace trace;

  int cuts = 0;
  for (const auto& [rho, wanted_count] : golden.json()["values"][size + "_K"].items()) {
    SCOPED_TRACE(rho);
    std::vector<float> values(static_cast<std::size_t>(width), 0.0F);  // CLS is never looked at
    values.insert(values.end(), patches.begin(), patches.end());
    std::vector<int> kept(static_cast<std::size_t>(count));
    std::iota(kept.begin(), kept.end(), 0);
    tensor::Tokens tokens{{values.data(), 1 + count, width, width}, 1, kept};
    tensor::Arena arena;
    const auto pruner = reduce::make_reducer(completed({.rho = std::stod(rho), .prune = "weitop", .kappa = kappa}), model);
    pruner->set_trace(&trace);
    pruner->after_block(1, tokens, arena);

    golden.expect_close("student_logits_" + size, trace.logits);
    golden.expect_close("prune_score_" + size, trace.scores);
    ASSERT_EQ(tokens.patches(), wanted_count.get<int>());
    if (rho == "1") continue;  // nothing is cut, nothing recorded
    golden.expect_equal(key("kept", size, rho), std::vector<std::int64_t>(tokens.kept.begin(), tokens.kept.end()));
    ++cuts;
  }
  EXPECT_EQ(cuts, 11);
}

INSTANTIATE_TEST_SUITE_P(Sizes, WeitopGolden, ::testing::Values("98x140", "224x224"),
                         [](const auto& instance) { return "Size" + std::string(instance.param); });

TEST(WeitopGoldenLarge, RecordedScoresAt529TokensGiveTheRecordedCuts) {
  REVISIT_REQUIRE_SHARED("golden/weitop_e2e");
  const GoldenCase golden("weitop_e2e");
  const std::vector<float> scores = golden.f32("prune_score_322x322");
  for (const auto& [rho, wanted_count] : golden.json()["values"]["322x322_K"].items()) {
    const int count = reduce::kept_count(std::stod(rho), static_cast<int>(scores.size()));
    EXPECT_EQ(count, wanted_count.get<int>()) << rho;
    if (rho == "1") continue;
    std::vector<int> kept;
    reduce::choose_best(scores, count, kept);
    golden.expect_equal(key("kept", "322x322", rho), std::vector<std::int64_t>(kept.begin(), kept.end()));
  }
}

}  // namespace
}  // namespace revisit

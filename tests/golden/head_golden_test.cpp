// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// WeiAD, SALAD and GeM heads against recorded cases: every step, from the inputs the case stores.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/aggregate/aggregator.h"
#include "engine/model/containers.h"
#include "golden.h"

namespace revisit {
namespace {

using revisit::testing::GoldenCase;

struct Output {
  std::vector<float> descriptor;
  aggregate::HeadTrace trace;
};

/// (a, b) to (b, a).
std::vector<float> transposed(const std::vector<float>& x, std::size_t a, std::size_t b) {
  std::vector<float> out(x.size());
  for (std::size_t i = 0; i < a; ++i) {
    for (std::size_t j = 0; j < b; ++j) out[j * a + i] = x[i * b + j];
  }
  return out;
}

/// One head with the sizes read off its tensors.
class Head {
 public:
  Head(const GoldenCase& golden, const std::string& kind, std::vector<int> tiers) {
    model_.weights = model::read_checkpoint(golden.checkpoint()).weights;
    const auto side = [&](const char* name, std::size_t axis) {
      return static_cast<int>(model_.weights.at(std::string("aggregator.") + name).shape.at(axis));
    };
    model_.config.vit().width = side("token_features.0.weight", 1);
    model_.config.head.kind = kind;
    model::TransportHead& head = model_.config.head.transport();
    head.hidden = side("token_features.0.weight", 0);
    head.token_dim = side("token_features.2.weight", 0);
    head.cluster_dim = side("cluster_features.3.weight", 0);
    head.clusters = side("score.3.weight", 0);
    head.tiers = std::move(tiers);
    aggregator_ = aggregate::make_aggregator(model_, std::nullopt);
  }

  std::size_t width() const { return static_cast<std::size_t>(model_.config.vit().width); }
  std::size_t clusters() const { return static_cast<std::size_t>(model_.config.head.transport().clusters); }
  std::size_t cluster_dim() const { return static_cast<std::size_t>(model_.config.head.transport().cluster_dim); }

  Output operator()(const std::vector<float>& cls, const std::vector<float>& patches) {
    const int d = model_.config.vit().width;
    std::vector<float> tokens = cls;
    tokens.insert(tokens.end(), patches.begin(), patches.end());
    Output out;
    out.descriptor.resize(static_cast<std::size_t>(aggregator_->dim()));
    tensor::Arena arena;
    const tensor::Tokens all{{tokens.data(), static_cast<int>(tokens.size()) / d, d, d}};
    aggregator_->aggregate(all, out.descriptor.data(), arena, &out.trace);
    return out;
  }

 private:
  model::LoadedModel model_;
  std::unique_ptr<aggregate::Aggregator> aggregator_;
};

class WeiadGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(WeiadGolden, EveryRecordedStepAgrees) {
  REVISIT_REQUIRE_SHARED(std::string("golden/") + GetParam());
  const GoldenCase golden(GetParam());
  Head head(golden, model::kWeiad, golden.json()["constructor"]["tiers"].get<std::vector<int>>());
  int compared = 0;
  for (const char* n : {"529", "256", "70", "40", "10", "1"}) {
    SCOPED_TRACE(n);
    const auto name = [&](const char* what) { return std::string(what) + "_n" + n; };
    const Output got = head(golden.f32(name("cls")), golden.f32(name("X")));
    const auto close = [&](const char* what, const std::vector<float>& values) {
      if (!golden.has(name(what))) return;
      golden.expect_close(name(what), values);
      ++compared;
    };
    close("descriptor", got.descriptor);
    close("P", got.trace.plan);
    close("ghost", got.trace.ghost);
    close("alpha", got.trace.alpha);
    close("tier_weights", got.trace.tier_weight);
    close("importance", got.trace.importance);
    close("F", got.trace.features);
    close("S", got.trace.scores);
    close("t", got.trace.token_feature);
    close("V", got.trace.cluster_sums);
    close("V_weighted", got.trace.weighted);
    golden.expect_equal(name("order"), got.trace.order);
    golden.expect_equal(name("tier"), got.trace.tier);
    compared += 2;
    const std::size_t m = head.clusters();
    ASSERT_EQ(got.trace.plan.size(), (got.trace.importance.size() + 1) * (m + 1));
    for (std::size_t i = 0; i < got.trace.importance.size(); ++i) {
      for (std::size_t j = 0; j < m; ++j) ASSERT_EQ(got.trace.transport[i * m + j], got.trace.plan[i * (m + 1) + j]);
    }
  }
  int outputs = 0;
  for (const auto& [key, tensor] : golden.json()["tensors"].items()) outputs += tensor["role"] == "output" ? 1 : 0;
  EXPECT_EQ(compared, outputs) << "some recorded output was not compared";
}

INSTANTIATE_TEST_SUITE_P(Cases, WeiadGolden, ::testing::Values("weiad_head_default", "weiad_head_clamped", "weiad_head_untied"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(SaladGolden, EveryRecordedStepOfTheHeadAgrees) {
  REVISIT_REQUIRE_SHARED("golden/salad_head64");
  const GoldenCase golden("salad_head64");
  Head head(golden, model::kSalad, {});
  for (const char* n : {"_n70", "_n256", "_n529"}) {
    SCOPED_TRACE(n);
    const auto map = golden.f32(std::string("f") + n);  // (1, C, h, w)
    const std::size_t tokens = map.size() / head.width();
    const Output got = head(golden.f32(std::string("t") + n), transposed(map, head.width(), tokens));
    golden.expect_close(std::string("descriptor") + n, got.descriptor);
    golden.expect_close(std::string("token_feat") + n, got.trace.token_feature);
    golden.expect_close(std::string("V") + n, transposed(got.trace.cluster_sums, head.clusters(), head.cluster_dim()));
    golden.expect_close(std::string("logP") + n, transposed(got.trace.log_plan, tokens, head.clusters() + 1));
    if (golden.has(std::string("score") + n)) {
      golden.expect_close(std::string("score") + n, transposed(got.trace.scores, tokens, head.clusters()));
    }
  }
}

TEST(SaladGolden, TheHeadOfTheWholeModelAgreesFromItsRecordedTokens) {
  REVISIT_REQUIRE_SHARED("golden/salad_e2e");
  const GoldenCase golden("salad_e2e");
  Head head(golden, model::kSalad, {});
  const auto map = golden.f32("patch_map_98x140");  // (2, C, n)
  const auto cls = golden.f32("cls_98x140");
  const std::size_t d = head.width();
  const std::size_t tokens = map.size() / (2 * d);

  Output both;  // the two images of the batch one after the other, as the case stores them
  std::vector<float> score, feature, sums, log_plan;
  const auto append = [](std::vector<float>& to, const std::vector<float>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (std::size_t image = 0; image < 2; ++image) {
    const auto at = [&](const std::vector<float>& x, std::size_t count) {
      const auto first = x.begin() + static_cast<std::ptrdiff_t>(image * count);
      return std::vector<float>(first, first + static_cast<std::ptrdiff_t>(count));
    };
    const Output got = head(at(cls, d), transposed(at(map, d * tokens), d, tokens));
    append(both.descriptor, got.descriptor);
    append(both.trace.token_feature, got.trace.token_feature);
    append(score, transposed(got.trace.scores, tokens, head.clusters()));
    append(feature, transposed(got.trace.features, tokens, head.cluster_dim()));
    append(sums, transposed(got.trace.cluster_sums, head.clusters(), head.cluster_dim()));
    append(log_plan, transposed(got.trace.log_plan, tokens, head.clusters() + 1));
  }
  golden.expect_close("descriptor_98x140", both.descriptor);
  golden.expect_close("token_feat_98x140", both.trace.token_feature);
  golden.expect_close("score_98x140", score);
  golden.expect_close("cluster_feat_98x140", feature);
  golden.expect_close("V_98x140", sums);
  golden.expect_close("logP_98x140", log_plan);
}

TEST(GemGolden, PoolingFeatureMapsAgrees) {
  REVISIT_REQUIRE_SHARED("golden/gem_head");
  const GoldenCase golden("gem_head");
  ASSERT_EQ(golden.json()["constructor"]["p"].get<double>(), 3.0);
  for (const char* n : {"_7x9", "_zeros"}) {
    const NpyArray array = golden.tensor(std::string("x") + n);  // (B, C, h, w)
    auto maps = array.to_f32();
    const auto batch = static_cast<std::size_t>(array.shape[0]);
    const auto channels = static_cast<std::size_t>(array.shape[1]);
    const std::size_t pixels = maps.size() / (batch * channels);
    model::LoadedModel backbone;
    backbone.config.vit().width = static_cast<int>(channels);
    const auto gem = aggregate::make_aggregator(backbone, "gem");
    std::vector<float> got(batch * channels);
    tensor::Arena arena;
    for (std::size_t image = 0; image < batch; ++image) {
      const int cells = static_cast<int>(pixels);
      const auto first = maps.begin() + static_cast<std::ptrdiff_t>(image * channels * pixels);
      auto rows = transposed({first, first + static_cast<std::ptrdiff_t>(channels * pixels)}, channels, pixels);
      const int width = static_cast<int>(channels);
      const tensor::FeatureMap map{
          {rows.data(), cells, width, width}, static_cast<int>(array.shape[2]), static_cast<int>(array.shape[3])};
      gem->aggregate(map, got.data() + image * channels, arena, nullptr);
    }
    golden.expect_close(std::string("descriptor") + n, got);
  }
}

}  // namespace
}  // namespace revisit

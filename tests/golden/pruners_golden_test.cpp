// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// FastV, EViT, ToMe and DynamicViT inside the whole network against recorded runs of the public code, block by block. Which
// patches are kept or merged has to agree exactly. Rows are compared wherever they stand: the methods order them in their own
// ways.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>
#include <vector>

#include "engine/backbone/backbone.h"
#include "engine/model/containers.h"
#include "engine/model/model_file.h"
#include "engine/reduce/dynamicvit.h"
#include "engine/reduce/matching.h"
#include "engine/reduce/reducer.h"
#include "engine/reduce/tome.h"
#include "golden.h"
#include "revisit/model.h"

namespace revisit {
namespace {

using testing::GoldenCase;

struct Recorded {
  const char* name;
  const char* prune;
  const char* options;
};

model::LoadedModel model_of(const GoldenCase& golden) {
  const auto out = std::filesystem::temp_directory_path() / ("revisit_pruners_" + std::to_string(::getpid()) + ".safetensors");
  const auto& constructor = golden.json()["constructor"];
  ImportOptions options;
  options.heads = (constructor.contains("backbone") ? constructor["backbone"] : constructor)["num_heads"].get<int>();
  import_model(golden.checkpoint(), out, options);
  model::LoadedModel model = *model::load_model_file(out);
  std::filesystem::remove(out);                   // stays mapped
  if (golden.json()["checkpoints"].size() > 1) {  // predictors in a file of their own
    const auto more = std::make_shared<model::Checkpoint>(model::read_checkpoint(golden.checkpoint(1)));
    for (const auto& [name, tensor] : more->weights.all()) model.weights.add(name, tensor, more);
  }
  return model;
}

/// One picture on its way through the network.
struct Walk {
  Walk(const model::LoadedModel& given, const std::string& prune, const std::string& options, const float* pixels, Size size)
      : model(given),
        network(backbone::make_backbone(model)),
        reducer(reduce::make_reducer(completed({.prune = prune, .prune_options = options}), model)),
        features(network->embed(pixels, size, arena)) {}

  void run(int block) { network->run_blocks(features, block, block + 1, reducer.get(), arena); }
  /// The block itself, and what is decided before the next one afterwards.
  void run_block_alone(int block) {
    if (block == 0) reducer->after_block(0, features.tokens(), arena);
    network->run_blocks(features, block, block + 1, nullptr, arena);
  }
  void decide(int blocks_done) { reducer->after_block(blocks_done, features.tokens(), arena); }
  const tensor::Tokens& tokens() const { return features.tokens(); }
  std::vector<std::int64_t> kept() const { return {tokens().kept.begin(), tokens().kept.end()}; }

  const model::LoadedModel& model;
  std::unique_ptr<backbone::Backbone> network;
  std::unique_ptr<reduce::TokenReducer> reducer;
  tensor::Arena arena;
  tensor::Features features;
};

double distance(const float* a, const float* b, int width) {
  double worst = 0;
  for (int c = 0; c < width; ++c) worst = std::max(worst, std::abs(static_cast<double>(a[c]) - static_cast<double>(b[c])));
  return worst;
}

/// CLS stands first; each other recorded row has a row of its own within the tolerance.
void expect_same_rows(const GoldenCase& golden, const std::string& name, std::int64_t picture, tensor::ConstMatrix got) {
  const auto array = golden.tensor(name);
  const auto values = array.to_f32();
  ASSERT_EQ(array.shape.at(1), got.rows) << name;
  ASSERT_EQ(array.shape.at(2), got.cols) << name;
  const float* want = values.data() + picture * got.rows * got.cols;
  std::vector<bool> taken(static_cast<std::size_t>(got.rows));
  double worst = 0;
  for (int r = 0; r < got.rows; ++r, want += got.cols) {
    int nearest = 0;
    for (int i = 1; i < got.rows && r > 0; ++i) {
      if (nearest == 0 || distance(want, got.row(i), got.cols) < distance(want, got.row(nearest), got.cols)) nearest = i;
    }
    EXPECT_FALSE(taken[static_cast<std::size_t>(nearest)]) << name << " row " << r;
    taken[static_cast<std::size_t>(nearest)] = true;
    worst = std::max(worst, distance(want, got.row(nearest), got.cols));
  }
  EXPECT_LE(worst, golden.atol(name)) << name;
  ::testing::Test::RecordProperty(name + "_max_error", fmt::format("{:.2e}", worst));
}

/// Position in `kept` of the token that stands for each patch.
std::vector<int> places(const tensor::Tokens& tokens) {
  std::vector<int> out;
  for (const int owner : tokens.owner) {
    const auto found = std::ranges::find(tokens.kept, owner);
    out.push_back(owner < 0 ? -1 : static_cast<int>(found - tokens.kept.begin()));
  }
  return out;
}

/// Every patch went where it went in the recorded run, and the token it is in has the recorded size and values.
void expect_same_merges(const GoldenCase& golden, const std::string& block, const tensor::Tokens& tokens) {
  const auto group = golden.tensor("group" + block).to_i64();  // (T0) position of every token
  const auto size = golden.f32("size" + block);
  const auto rows = golden.f32("block" + block);
  const auto place = places(tokens);
  ASSERT_EQ(group.size(), place.size() + 1);
  ASSERT_EQ(size.size(), static_cast<std::size_t>(tokens.patches()) + 1);
  double worst = 0;
  std::vector<int> first(size.size(), -1);
  for (std::size_t p = 0; p < place.size(); ++p) {
    ASSERT_GE(place[p], 0);
    const auto theirs = static_cast<std::size_t>(group[p + 1]);
    if (first[theirs] < 0) first[theirs] = place[p];
    EXPECT_EQ(first[theirs], place[p]) << "block " << block << ", patch " << p << " is in another token";
    EXPECT_EQ(size[theirs], tokens.mass[static_cast<std::size_t>(place[p])]);
    const int width = tokens.values.cols;
    worst = std::max(
        worst, distance(rows.data() + theirs * static_cast<std::size_t>(width), tokens.patch_values().row(place[p]), width));
  }
  EXPECT_LE(worst, golden.atol("block" + block)) << "block " << block;
}

class PrunerGolden : public ::testing::TestWithParam<Recorded> {};

TEST_P(PrunerGolden, KeepsMergesAndComputesWhatWasRecorded) {
  const Recorded& recorded = GetParam();
  REVISIT_REQUIRE_SHARED(std::filesystem::path("golden") / recorded.name);
  const GoldenCase golden(recorded.name);
  const auto model = model_of(golden);
  const auto image = golden.tensor("img");
  const Size size{static_cast<int>(image.shape[2]), static_cast<int>(image.shape[3])};
  auto pixels = image.to_f32();
  for (float& p : pixels) p = p / 64 - 2;
  int compared = 0;
  for (std::int64_t picture = 0; picture < image.shape[0]; ++picture) {
    Walk walk(model, recorded.prune, recorded.options, pixels.data() + picture * 3 * size.height * size.width, size);
    for (int block = 0; block < walk.network->blocks(); ++block) {
      const std::string number = std::to_string(block);
      // DynamicViT decides before a block what the others decide in or after one.
      const bool before = golden.has("pred0");
      before ? walk.run_block_alone(block) : walk.run(block);
      if (golden.has("group" + number)) expect_same_merges(golden, number, walk.tokens());
      if (golden.has("block" + number)) {
        expect_same_rows(golden, "block" + number, picture, walk.tokens().values);
        ++compared;
      }
      if (before) walk.decide(block + 1);
      EXPECT_EQ(walk.tokens().patches(), walk.reducer->patches_after(block + 1, static_cast<int>(walk.tokens().owner.size())))
          << "as multiply-adds are counted";
    }
    walk.network->normalise(walk.features);
    if (golden.has("norm")) expect_same_rows(golden, "norm", picture, walk.tokens().values);
    if (golden.has("cls_norm")) {
      const auto want = golden.f32("cls_norm");
      const int width = walk.tokens().values.cols;
      EXPECT_LE(distance(want.data() + picture * width, walk.tokens().cls().data, width), golden.atol("cls_norm"));
    }
    if (golden.has("kept")) golden.expect_equal("kept", walk.kept());
  }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(Cases, PrunerGolden,
                         ::testing::Values(Recorded{"fastv_dinov2_rho0.5", "fastv", "keep=0.5"},
                                           Recorded{"fastv_dinov2_rho0.8", "fastv", "keep=0.8,at=1"},
                                           Recorded{"evit_dinov2_fuse", "evit", "keep=0.7,at=1|2,fuse=true"},
                                           Recorded{"evit_dinov2_nofuse", "evit", "keep=0.7,at=1|2,fuse=false"},
                                           Recorded{"evit_real_fuse", "evit", "keep=0.7,at=1|3"},
                                           Recorded{"evit_real_nofuse", "evit", "keep=0.7,at=1|3,fuse=false"},
                                           Recorded{"tome_dinov2_prop", "tome", "r=6,prop_attn=true"},
                                           Recorded{"tome_dinov2_noprop", "tome", "r=13,prop_attn=false"},
                                           Recorded{"tome_timm_r6", "tome", "r=6"},
                                           Recorded{"tome_timm_r6_noprop", "tome", "r=6,prop_attn=false"},
                                           Recorded{"tome_timm_r40", "tome", "r=40"},  // as many as can be
                                           Recorded{"tome_timm_sched", "tome", "r=5,inflect=-1"},
                                           Recorded{"dynamicvit_dinov2", "dynamicvit", "keep=0.7"},
                                           Recorded{"dynamicvit_real", "dynamicvit", "keep=0.7"}),
                         [](const auto& one) {
                           std::string name = one.param.name;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

TEST(ToMeGolden, MatchesMergesAndOrdersAsRecorded) {
  REVISIT_REQUIRE_SHARED("golden/tome_matching");
  const GoldenCase golden("tome_matching");
  int cases = 0;
  for (const auto& [key, entry] : golden.json()["tensors"].items()) {
    if (!key.starts_with("metric_t") || key.ends_with("nocls")) continue;  // there is always a CLS here
    SCOPED_TRACE(key);
    const std::string name = key.substr(7);
    const int r = std::stoi(name.substr(name.find("_r") + 2));
    const auto metric = golden.tensor(key);
    const int tokens = static_cast<int>(metric.shape[1]), width = static_cast<int>(metric.shape[2]);
    const auto keys = metric.to_f32(), all_x = golden.f32("x_" + name), all_size = golden.f32("size_" + name);
    const auto group = golden.tensor("group_" + name).to_i64();
    const auto merged_x = golden.f32("merged_x_" + name), merged_size = golden.f32("merged_size_" + name);
    const int x_width = static_cast<int>(golden.tensor("x_" + name).shape[2]);
    const int left = static_cast<int>(golden.tensor("merged_x_" + name).shape[1]);
    for (int picture = 0; picture < metric.shape[0]; ++picture) {
      std::vector<float> x(all_x.begin() + picture * tokens * x_width, all_x.begin() + (picture + 1) * tokens * x_width);
      std::vector<float> mass(all_size.begin() + picture * tokens + 1, all_size.begin() + (picture + 1) * tokens);
      std::vector<int> kept(mass.size()), owner(mass.size());
      std::iota(kept.begin(), kept.end(), 0);
      std::iota(owner.begin(), owner.end(), 0);
      tensor::Tokens sequence{{x.data(), tokens, x_width, x_width}, 1, kept, 1, mass, owner};
      tensor::Arena arena;
      reduce::Matching matching(1);
      matching.restart(tokens - 1);
      tensor::merge_patches(sequence,
                            matching.match(sequence, {keys.data() + picture * tokens * width, tokens, width, width}, r, arena));
      ASSERT_EQ(sequence.values.rows, left);
      const auto place = places(sequence);
      double worst = 0;
      for (int p = 0; p + 1 < tokens; ++p) {
        const auto theirs = picture * left + group[static_cast<std::size_t>(picture * tokens + p + 1)];
        const int ours = place[static_cast<std::size_t>(p)];
        EXPECT_EQ(merged_size[static_cast<std::size_t>(theirs)], sequence.mass[static_cast<std::size_t>(ours)]) << p;
        worst = std::max(worst, distance(merged_x.data() + theirs * x_width, sequence.patch_values().row(ours), x_width));
      }
      EXPECT_LE(worst, golden.atol("merged_x_" + name));
      // The order of the method, which decides who meets whom next.
      for (int i = 0; i + 1 < left; ++i) {
        const int patch = sequence.kept[static_cast<std::size_t>(matching.order()[static_cast<std::size_t>(i)])];
        EXPECT_EQ(group[static_cast<std::size_t>(picture * tokens + patch + 1)], i + 1);
      }
    }
    ++cases;
  }
  EXPECT_EQ(cases, 5);
}

TEST(ToMeGolden, SchedulesAreThoseRecorded) {
  REVISIT_REQUIRE_SHARED("golden/tome_matching");
  const auto recorded = GoldenCase("tome_matching").json()["values"]["parse_r"];
  const auto is = [&](const char* key, int r, double inflect, int depth) {
    EXPECT_EQ(reduce::merges_per_block(r, inflect, depth), recorded.at(key).get<std::vector<int>>()) << key;
  };
  is("12, 8", 8, 0, 12);
  is("12, (8,-1.0)", 8, -1, 12);
  is("12, (8,0.5)", 8, 0.5, 12);
  is("4, (5,1.0)", 5, 1, 4);
}

TEST(DynamicVitGolden, ThePredictorGivesTheRecordedLogProbabilities) {
  REVISIT_REQUIRE_SHARED("golden/dynamicvit_dinov2");
  for (const char* name : {"dynamicvit_dinov2", "dynamicvit_real"}) {
    const GoldenCase golden(name);
    const auto checkpoint = model::read_checkpoint(golden.checkpoint(golden.json()["checkpoints"].size() > 1 ? 1 : 0));
    // The first predictor sees every patch as the block before it left them.
    const auto before = golden.tensor("block0");
    const int rows = static_cast<int>(before.shape[1]), width = static_cast<int>(before.shape[2]);
    const auto values = before.to_f32();
    const reduce::Predictor predictor(checkpoint.weights, 0, width, tensor::Precision::kF32);
    tensor::Arena arena;
    std::vector<float> keep;
    predictor({values.data() + width, rows - 1, width, width}, keep, arena);
    const auto want = golden.f32("pred0");
    ASSERT_EQ(want.size(), 2 * keep.size());
    double worst = 0;
    for (std::size_t i = 0; i < keep.size(); ++i)
      worst = std::max(worst, std::abs(static_cast<double>(keep[i]) - static_cast<double>(want[2 * i])));
    EXPECT_LE(worst, golden.atol("pred0")) << name;
  }
}

}  // namespace
}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The seam itself: every family runs behind it, and a network of maps fits the same calls.
#include "engine/backbone/backbone.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "engine/model/model_file.h"
#include "revisit/error.h"

namespace revisit::backbone {
namespace {

std::vector<float> noise(Size size) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::vector<float> pixels(3 * static_cast<std::size_t>(size.height) * static_cast<std::size_t>(size.width));
  for (float& value : pixels) value = normal(random);
  return pixels;
}

TEST(MakeBackbone, OfAVisionTransformerGivesItsTokens) {
  model::Config config = model::named_config("demo");
  config.vit().registers = 2;
  const auto model = model::make_random(config, 1);
  const auto vit = make_backbone(*model);
  EXPECT_EQ(vit->blocks(), config.backbone.blocks());

  const Size size{28, 42};
  const auto pixels = noise(size);
  tensor::Arena arena;
  tensor::Features features = vit->embed(pixels.data(), size, arena);
  ASSERT_TRUE(features.are_tokens());
  const tensor::Tokens& tokens = features.tokens();
  EXPECT_EQ(tokens.prefix, 3);
  EXPECT_EQ(tokens.patches(), 6);
  EXPECT_EQ(tokens.columns, 3);
  EXPECT_EQ(std::vector<int>(tokens.kept.begin(), tokens.kept.end()), (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(std::vector<int>(tokens.owner.begin(), tokens.owner.end()), (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(std::vector<float>(tokens.mass.begin(), tokens.mass.end()), std::vector<float>(6, 1.0F));
  vit->run_blocks(features, 0, vit->blocks(), nullptr, arena);
  vit->normalise(features);
  EXPECT_EQ(features.values().cols, config.backbone.width());
  for (int c = 0; c < features.values().cols; ++c) EXPECT_TRUE(std::isfinite(features.values().row(8)[c]));
}

TEST(MakeBackbone, BlocksRunInPartsGiveTheSameBits) {
  const auto model = model::make_random(model::named_config("demo"), 1);
  const Size size{28, 28};
  const auto pixels = noise(size);
  const auto run = [&](int first_part) {
    const auto vit = make_backbone(*model);
    tensor::Arena arena;
    tensor::Features features = vit->embed(pixels.data(), size, arena);
    vit->run_blocks(features, 0, first_part, nullptr, arena);
    vit->run_blocks(features, first_part, vit->blocks(), nullptr, arena);
    const auto values = features.values();
    return std::vector<float>(values.data, values.data + static_cast<std::ptrdiff_t>(values.rows) * values.cols);
  };
  EXPECT_EQ(run(1), run(4));
}

/// Merges the last living patch into the one before it, in the attention of block 0 and after block 1, and looks at what every
/// attention leaves.
class MergesTheLast final : public tensor::TokenHook {
 public:
  explicit MergesTheLast(Needs needs) : needs_(needs) {}

  Needs needs(int /*block*/) const override { return needs_; }
  void after_attention(int block, tensor::Tokens& tokens, const tensor::AttentionView& attention,
                       tensor::Arena& /*arena*/) override {
    seen.push_back(tokens.patches());
    if (needs_ == Needs::kKeys) {
      EXPECT_EQ(attention.cls_row, nullptr);
      ASSERT_EQ(attention.keys.rows, tokens.values.rows);
      ASSERT_EQ(attention.keys.cols, tokens.values.cols);
      for (int r = 0; r < attention.keys.rows; ++r) EXPECT_TRUE(std::isfinite(attention.keys.row(r)[0])) << r;
    } else {
      EXPECT_EQ(attention.keys.data, nullptr);
      ASSERT_NE(attention.cls_row, nullptr);
      EXPECT_NEAR(std::accumulate(attention.cls_row, attention.cls_row + tokens.values.rows, 0.0), 1, 1e-5) << "block " << block;
    }
    if (block == 0) merge(tokens);
  }
  void after_block(int blocks_done, tensor::Tokens& tokens, tensor::Arena& /*arena*/) override {
    if (blocks_done == 2) merge(tokens);
  }

  std::vector<int> seen;  // patches in each attention

 private:
  static void merge(tensor::Tokens& tokens) {
    std::vector<int> into(static_cast<std::size_t>(tokens.patches()));
    std::iota(into.begin(), into.end(), 0);
    into.back() = tokens.patches() - 2;
    tensor::merge_patches(tokens, into);
  }

  Needs needs_;
};

TEST(MakeBackbone, AHookThatMergesSeesTheTokensThatAreLeft) {
  const auto model = model::make_random(model::named_config("demo"), 1);
  const auto vit = make_backbone(*model);
  const Size size{28, 42};
  const auto pixels = noise(size);
  for (const auto needs : {tensor::TokenHook::Needs::kKeys, tensor::TokenHook::Needs::kClsRow}) {
    MergesTheLast hook(needs);
    tensor::Arena arena;
    for (int repeat = 0; repeat < 2; ++repeat) {  // the second picture begins with every patch again
      hook.seen.clear();
      arena.reset();
      tensor::Features features = vit->embed(pixels.data(), size, arena);
      vit->run_blocks(features, 0, vit->blocks(), &hook, arena);
      std::vector<int> expected(static_cast<std::size_t>(vit->blocks()), 4);
      expected[0] = 6;
      expected[1] = 5;
      EXPECT_EQ(hook.seen, expected);
      const tensor::Tokens& tokens = features.tokens();
      EXPECT_EQ(std::vector<int>(tokens.kept.begin(), tokens.kept.end()), (std::vector<int>{0, 1, 2, 3}));
      EXPECT_EQ(std::vector<int>(tokens.owner.begin(), tokens.owner.end()), (std::vector<int>{0, 1, 2, 3, 3, 3}));
      EXPECT_EQ(std::vector<float>(features.mass().begin(), features.mass().end()), (std::vector<float>{1, 1, 1, 3}));
      for (int r = 0; r < tokens.values.rows; ++r) EXPECT_TRUE(std::isfinite(tokens.values.row(r)[0]));
    }
  }
}

TEST(MakeBackbone, NamesTheTensorThatIsMissing) {
  model::LoadedModel empty;
  empty.config = model::named_config("demo");
  try {
    make_backbone(empty);
    FAIL() << "a network without weights was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadModel);
    EXPECT_NE(std::string(error.what()).find("backbone.model."), std::string::npos) << error.what();
  }
}

/// Two blocks, each of which halves the map by taking the larger of 2 x 2 cells.
class Halving final : public Backbone {
 public:
  int blocks() const override { return 2; }

  tensor::Features embed(const float* pixels, Size size, tensor::Arena& arena) const override {
    const tensor::Matrix cells = arena.matrix(size.height * size.width, 3);
    for (int i = 0; i < cells.rows; ++i) {
      for (int channel = 0; channel < 3; ++channel) cells.row(i)[channel] = pixels[channel * cells.rows + i];
    }
    return tensor::FeatureMap{cells, size.height, size.width};
  }

  void run_blocks(tensor::Features& features, int first, int last, tensor::TokenHook* /*hook*/,
                  tensor::Arena& arena) const override {
    for (int i = first; i < last; ++i) {
      const tensor::FeatureMap in = features.map();
      tensor::FeatureMap out{arena.matrix(in.cells.rows / 4, in.cells.cols), in.rows / 2, in.columns / 2};
      for (int cell = 0; cell < out.cells.rows; ++cell) {
        const int corner = 2 * (cell / out.columns) * in.columns + 2 * (cell % out.columns);
        for (int c = 0; c < in.cells.cols; ++c) {
          const auto at = [&](int offset) { return in.cells.row(corner + offset)[c]; };
          out.cells.row(cell)[c] = std::max({at(0), at(1), at(in.columns), at(in.columns + 1)});
        }
      }
      features = out;
    }
  }

  void normalise(tensor::Features& /*features*/) const override {}
};

TEST(Backbone, OfMapsIsRunByTheSameCalls) {
  std::vector<float> pixels(3 * 4 * 8);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(i);
  Halving halving;
  Backbone& network = halving;
  tensor::Arena arena;
  tensor::Features features = network.embed(pixels.data(), {4, 8}, arena);
  network.run_blocks(features, 0, network.blocks(), nullptr, arena);
  network.normalise(features);
  EXPECT_EQ(features.map().rows, 1);
  EXPECT_EQ(features.map().columns, 2);
  const tensor::ConstMatrix cells = features.spatial();
  EXPECT_EQ(std::vector<float>(cells.data, cells.data + 6), (std::vector<float>{27, 59, 91, 31, 63, 95}));
}

}  // namespace
}  // namespace revisit::backbone

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The seam itself: every family runs behind it, and a network of maps fits the same calls.
#include "engine/backbone/backbone.h"

#include <gtest/gtest.h>

#include <cmath>
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
    const tensor::Matrix planes = arena.matrix(3, size.height * size.width);
    std::copy(pixels, pixels + 3 * planes.cols, planes.data);
    return tensor::FeatureMap{planes, size.height, size.width};
  }

  void run_blocks(tensor::Features& features, int first, int last, tensor::TokenHook* /*hook*/,
                  tensor::Arena& arena) const override {
    for (int i = first; i < last; ++i) {
      const tensor::FeatureMap in = features.map();
      tensor::FeatureMap out{arena.matrix(in.planes.rows, in.planes.cols / 4), in.rows / 2, in.columns / 2};
      for (int channel = 0; channel < in.planes.rows; ++channel) {
        for (int cell = 0; cell < out.planes.cols; ++cell) {
          const float* corner = in.planes.row(channel) + 2 * (cell / out.columns) * in.columns + 2 * (cell % out.columns);
          out.planes.row(channel)[cell] = std::max({corner[0], corner[1], corner[in.columns], corner[in.columns + 1]});
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
  const tensor::ConstMatrix cells = features.spatial(arena);
  EXPECT_EQ(std::vector<float>(cells.data, cells.data + 6), (std::vector<float>{27, 59, 91, 31, 63, 95}));
}

}  // namespace
}  // namespace revisit::backbone

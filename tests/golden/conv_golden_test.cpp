// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Convolutional networks against recorded maps: every stage of the tiny networks, and whole models with their heads.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/tensor/convolution.h"
#include "engine/backbone/backbone.h"
#include "engine/model/model_file.h"
#include "engine/model/test_models.h"
#include "golden.h"
#include "revisit/extractor.h"

namespace revisit {
namespace {

using revisit::testing::GoldenCase;

/// (batch, 3, H, W) bytes as the network gets them, one picture.
std::vector<float> picture(const GoldenCase& golden, const std::string& name, int image, Size& size) {
  const NpyArray array = golden.tensor(name);
  size = {static_cast<int>(array.shape[2]), static_cast<int>(array.shape[3])};
  const auto bytes = array.to_f32();
  const std::size_t count = 3 * static_cast<std::size_t>(size.height * size.width);
  std::vector<float> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(bytes[static_cast<std::size_t>(image) * count + i] / 64 - 2);
  return out;
}

/// A map as cases store it: (channels, rows, columns).
std::vector<float> planes_of(const tensor::FeatureMap& map) {
  std::vector<float> out;
  for (int c = 0; c < map.cells.cols; ++c) {
    for (int cell = 0; cell < map.cells.rows; ++cell) out.push_back(map.cells.row(cell)[c]);
  }
  return out;
}

TEST(ConvGolden, EveryStageOfResnetsAgrees) {
  for (const char* name : {"resnet18_tiny", "resnet50_tiny"}) {
    REVISIT_REQUIRE_SHARED(std::string("golden/") + name);
    const GoldenCase golden(name);
    const auto model = model::import_checkpoint(golden.checkpoint(), {}, nullptr);
    const auto network = backbone::make_backbone(*model);
    ASSERT_EQ(network->blocks(), 4);
    for (const std::string at : {"_96x128", "_75x61"}) {
      Size size;
      const auto pixels = picture(golden, "img" + at, 0, size);
      tensor::Arena arena;
      tensor::Features features = network->embed(pixels.data(), size, arena);
      golden.expect_close("maxpool" + at, planes_of(features.map()));
      for (int stage = 0; stage < 4; ++stage) {
        network->run_blocks(features, stage, stage + 1, nullptr, arena);
        golden.expect_close("layer" + std::to_string(stage + 1) + at, planes_of(features.map()));
      }
      EXPECT_EQ(model->config.backbone.grid(size), (Size{features.map().rows, features.map().columns}));
    }
  }
}

TEST(ConvGolden, EveryStageOfVggAgrees) {
  REVISIT_REQUIRE_SHARED("golden/vgg16_tiny");
  const GoldenCase golden("vgg16_tiny");
  const auto model = model::import_checkpoint(golden.checkpoint(), {}, nullptr);
  const auto network = backbone::make_backbone(*model);
  ASSERT_EQ(network->blocks(), 5);
  for (const std::string at : {"_96x128", "_75x61"}) {
    Size size;
    const auto pixels = picture(golden, "img" + at, 0, size);
    tensor::Arena arena;
    tensor::Features features = network->embed(pixels.data(), size, arena);
    for (int stage = 0; stage < 4; ++stage) {
      network->run_blocks(features, stage, stage + 1, nullptr, arena);
      golden.expect_close("pool" + std::to_string(stage + 1) + at, planes_of(tensor::max_pool(features.map(), {2, 2, 0}, arena)));
    }
    network->run_blocks(features, 4, 5, nullptr, arena);
    golden.expect_close("conv5_3_prerelu" + at, planes_of(features.map()));
    EXPECT_EQ(model->config.backbone.grid(size), (Size{features.map().rows, features.map().columns}));
  }
}

class WholeRival : public ::testing::TestWithParam<const char*> {};

TEST_P(WholeRival, AgreesFromPixelsToTheDescriptor) {
  REVISIT_REQUIRE_SHARED(std::string("golden/") + GetParam());
  const GoldenCase golden(GetParam());
  const model::testing::TempFolder folder;
  ImportOptions options;
  const auto& built = golden.json()["constructor"]["backbone"];
  if (built.is_object()) options.heads = built["num_heads"].get<int>();
  import_model(golden.checkpoint(), folder / "m.safetensors", options);
  Extractor extractor(Model::load(folder / "m.safetensors"), {}, 2);
  int compared = 0;
  for (const auto& [name, tensor] : golden.json()["tensors"].items()) {
    if (!name.starts_with("img_")) continue;
    const std::string sized = "descriptor" + name.substr(3);
    const std::string want = golden.has(sized) ? sized : golden.has("descriptor_plain") ? "descriptor_plain" : "descriptor";
    std::vector<float> got;
    for (int image = 0; image < static_cast<int>(golden.tensor(name).shape[0]); ++image) {
      Size size;
      const auto pixels = picture(golden, name, image, size);
      const auto one = extractor.describe_tensor(pixels, size);
      got.insert(got.end(), one.begin(), one.end());
    }
    golden.expect_close(want, got);
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(Cases, WholeRival,
                         ::testing::Values("cosplace_e2e_resnet50", "cosplace_e2e_vgg16", "convap_e2e", "mixvpr_e2e",
                                           "supervlad_e2e", "megaloc_e2e"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace revisit

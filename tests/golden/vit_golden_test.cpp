// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The recorded DINOv2 cases and the real weights, token by token.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <vector>

#include "core/formats/npy.h"
#include "core/tensor/parallel.h"
#include "engine/backbone/backbone.h"
#include "engine/model/model_file.h"
#include "golden.h"
#include "revisit/extractor.h"

namespace revisit {
namespace {

using testing::GoldenCase;

/// Imports a checkpoint into a temporary model file and loads it.
Model import_to_model(const std::filesystem::path& checkpoint, const ImportOptions& options = {}) {
  const auto out = std::filesystem::temp_directory_path() / ("revisit_golden_" + std::to_string(::getpid()) + ".safetensors");
  import_model(checkpoint, out, options);
  Model model = Model::load(out);
  std::filesystem::remove(out);  // stays mapped
  return model;
}

struct VitRun {
  std::vector<float> embedded;             // (tokens, D)
  std::vector<std::vector<float>> blocks;  // after each block
  std::vector<float> normed;
  int prefix = 1;
  int width = 0;
};

VitRun run_vit(const Model& model, const float* pixels, Size size) {
  const auto vit = backbone::make_backbone(model.loaded());
  tensor::Arena arena;
  tensor::Features features = vit->embed(pixels, size, arena);
  const auto copy = [&] {
    const auto m = features.values();
    return std::vector<float>(m.data, m.data + static_cast<std::ptrdiff_t>(m.rows) * m.cols);
  };
  VitRun run;
  run.prefix = features.tokens().prefix;
  run.width = features.values().cols;
  run.embedded = copy();
  for (int i = 0; i < vit->blocks(); ++i) {
    vit->run_blocks(features, i, i + 1, nullptr, arena);
    run.blocks.push_back(copy());
  }
  vit->normalise(features);
  run.normed = copy();
  return run;
}

class VitGolden : public ::testing::TestWithParam<const char*> {};

// Compares one recorded tensor (B, ...) given as whole, as chosen rows (`_rows`) or as row norms (`_l2`).
void compare(const GoldenCase& golden, const std::string& name, const std::vector<std::vector<float>>& batch, int width,
             int skip_rows, int take_rows) {
  std::vector<float> whole, rows, norms;
  for (const auto& image : batch) {
    const int total = static_cast<int>(image.size()) / width;
    const int count = take_rows < 0 ? total - skip_rows : take_rows;
    const auto* begin = image.data() + static_cast<std::ptrdiff_t>(skip_rows) * width;
    whole.insert(whole.end(), begin, begin + static_cast<std::ptrdiff_t>(count) * width);
    for (int r = 0; r < count; ++r) {
      const auto* row = begin + static_cast<std::ptrdiff_t>(r) * width;
      norms.push_back(static_cast<float>(std::sqrt(std::inner_product(row, row + width, row, 0.0))));
    }
  }
  if (golden.has(name)) golden.expect_close(name, whole);
  if (golden.has(name + "_l2")) golden.expect_close(name + "_l2", norms);
  if (golden.has(name + "_rows")) {
    const auto file = golden.json()["tensors"][name + "_rows"]["rows_file"].get<std::string>();
    for (const auto index : read_npy(golden.folder() / file).to_i64()) {  // of the whole sequence
      const auto local = index - skip_rows;
      if (local < 0) continue;
      const auto* row = whole.data() + local * width;
      rows.insert(rows.end(), row, row + width);
    }
    golden.expect_close(name + "_rows", rows);
  }
}

void check_case(const GoldenCase& golden, const Model& model, const std::string& prefix) {
  int inputs = 0;
  for (const auto& [key, entry] : golden.json()["tensors"].items()) {
    if (!key.starts_with("img")) continue;
    ++inputs;
    const std::string suffix = key.substr(3);  // "_98x140"
    const auto image = golden.tensor(key);
    const Size size{static_cast<int>(image.shape[2]), static_cast<int>(image.shape[3])};
    auto pixels = image.to_f32();
    for (float& p : pixels) p = p / 64 - 2;
    const auto stride = static_cast<std::ptrdiff_t>(3) * size.height * size.width;

    std::vector<std::vector<float>> embedded, normed;
    std::vector<std::vector<std::vector<float>>> blocks;
    VitRun run;
    for (std::int64_t b = 0; b < image.shape[0]; ++b) {
      run = run_vit(model, pixels.data() + b * stride, size);
      embedded.push_back(run.embedded);
      normed.push_back(run.normed);
      blocks.resize(run.blocks.size());
      for (std::size_t i = 0; i < run.blocks.size(); ++i) blocks[i].push_back(run.blocks[i]);
    }
    compare(golden, prefix + "tokens_pos" + suffix, embedded, run.width, 0, -1);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      compare(golden, prefix + "block" + std::to_string(i) + suffix, blocks[i], run.width, 0, -1);
    }
    compare(golden, prefix + "x_norm_clstoken" + suffix, normed, run.width, 0, 1);
    compare(golden, prefix + "x_norm_regtokens" + suffix, normed, run.width, 1, run.prefix - 1);
    compare(golden, prefix + "x_norm_patchtokens" + suffix, normed, run.width, run.prefix, -1);
  }
  EXPECT_GT(inputs, 0);
}

TEST_P(VitGolden, GivesTheRecordedTokens) {
  REVISIT_REQUIRE_SHARED(std::filesystem::path("golden") / GetParam());
  const GoldenCase golden(GetParam());
  ImportOptions options;
  options.heads = golden.json()["constructor"]["num_heads"].get<int>();
  const Model model = import_to_model(golden.checkpoint(), options);
  check_case(golden, model, "");
  if (golden.has("hfinterp_x_norm_clstoken_98x140")) {
    options.pos_rule = "hf";
    check_case(golden, import_to_model(golden.checkpoint(), options), "hfinterp_");
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, VitGolden,
                         ::testing::Values("dinov2_plain", "dinov2_plain_hf", "dinov2_plain_sizes", "dinov2_reg4",
                                           "dinov2_reg4_hf", "dinov2_reg4_sizes", "dinov2_swiglu", "dinov2_swiglu_hf",
                                           "dinov2_swiglu_sizes"),
                         [](const auto& one) { return std::string(one.param); });

double largest_difference(const std::vector<float>& got, const std::vector<float>& want) {
  EXPECT_EQ(got.size(), want.size());
  double worst = 0;
  for (std::size_t i = 0; i < std::min(got.size(), want.size()); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(got[i]) - static_cast<double>(want[i])));
  }
  return worst;
}

TEST(RealWeights, DinoV2GivesTheRecordedTokensAndDirections) {
  REVISIT_REQUIRE_SHARED("weights/dinov2_vits14_dav2");
  const auto folder = testing::shared_folder() / "weights/dinov2_vits14_dav2";
  const Model model = import_to_model(folder / "dinov2_vits14_dav2.safetensors");
  std::ifstream in(folder / "golden/golden.json");
  const auto golden = nlohmann::json::parse(in);
  for (const auto& [name, entry] : golden["files"].items()) {
    if (!entry.contains("atol")) continue;
    const auto input = read_npy(folder / "golden" / (name + "_input.npy"));
    const Size size{entry["size"][0].get<int>(), entry["size"][1].get<int>()};
    const VitRun run = run_vit(model, input.to_f32().data(), size);
    const double worst = largest_difference(run.normed, read_npy(folder / "golden" / (name + "_tokens.npy")).to_f32());
    EXPECT_LE(worst, entry["atol"].get<double>()) << name;
    RecordProperty(name, std::to_string(worst));
  }

  DescriptorSpec options;
  options.aggregate = "cls";
  options.size = Size{322, 322};
  Extractor extractor(model, options);
  const auto recorded = read_npy(folder / "golden/cls_unit_322.npy").to_f32();
  DecodeOptions decode;
  decode.orientation = Orientation::kIgnore;
  for (std::size_t i = 0; i < golden["photos"].size(); ++i) {
    const auto photo = testing::shared_folder() / "data" / golden["photos"][i].get<std::string>();
    const auto cls = extractor.describe(load_image(photo, decode));
    const double cosine =
        std::inner_product(cls.begin(), cls.end(), recorded.begin() + static_cast<std::ptrdiff_t>(i * cls.size()), 0.0);
    EXPECT_GE(cosine, 0.9999) << photo;
  }
}

TEST(RealWeights, ViTTinyGivesTheRecordedTokens) {
  REVISIT_REQUIRE_SHARED("weights/vit_tiny_patch16_224");
  const auto folder = testing::shared_folder() / "weights/vit_tiny_patch16_224";
  const Model model = import_to_model(folder / "vit_tiny_patch16_224.safetensors");
  for (const std::string i : {"0", "1"}) {
    const auto input = read_npy(folder / "golden" / (i + "_input.npy")).to_f32();
    const VitRun run = run_vit(model, input.data(), {224, 224});
    EXPECT_LE(largest_difference(run.normed, read_npy(folder / "golden" / (i + "_tokens.npy")).to_f32()), 2e-3);
  }
}

}  // namespace
}  // namespace revisit

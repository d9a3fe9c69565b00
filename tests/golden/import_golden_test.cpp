// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Importing recorded and real checkpoints: the architecture, the accounts and the family defaults.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/model/containers.h"
#include "engine/model/test_models.h"
#include "golden.h"
#include "revisit/model.h"

namespace revisit::model {
namespace {

using revisit::testing::GoldenCase;
using revisit::testing::shared_folder;
using testing::TempFolder;

ImportReport import_and_check_accounts(const std::filesystem::path& from, const std::filesystem::path& to,
                                       std::optional<int> heads, std::size_t ignored) {
  ImportOptions options;
  options.heads = heads;
  const auto report = import_model(from, to, options);
  const auto source = read_checkpoint(from);
  EXPECT_TRUE(report.missing.empty());
  EXPECT_EQ(report.ignored.size(), ignored);
  EXPECT_EQ(report.used.size() + report.ignored.size(), source.weights.all().size());
  std::int64_t parameters = 0;
  for (const auto& name : report.used) parameters += source.weights.at(name).count();
  EXPECT_EQ(report.info.parameters, parameters);
  EXPECT_EQ(Model::load(to).info().fingerprint, report.info.fingerprint);
  return report;
}

void expect_backbone(const ModelInfo& info, const nlohmann::json& constructor) {
  EXPECT_EQ(info.width, constructor.at("embed_dim").get<int>());
  EXPECT_EQ(info.depth, constructor.at("depth").get<int>());
  EXPECT_EQ(info.heads, constructor.at("num_heads").get<int>());
  EXPECT_EQ(info.patch, constructor.at("patch_size").get<int>());
  EXPECT_EQ(info.registers, constructor.value("num_register_tokens", 0));
  EXPECT_EQ(info.pos_rule, constructor.at("interpolate_antialias").get<bool>() ? "hub-antialias" : "hub");
  EXPECT_EQ(info.size, (Size{322, 322}));
  EXPECT_EQ(info.resize, "bilinear");
}

class Dinov2 : public ::testing::TestWithParam<const char*> {};

TEST_P(Dinov2, HubAndHuggingFaceNamesGiveTheSameModel) {
  const std::string name = std::string("dinov2_") + GetParam();
  REVISIT_REQUIRE_SHARED("golden/" + name);
  const TempFolder folder;
  const GoldenCase hub(name);
  const GoldenCase hf(name + "_hf");
  const int heads = hub.json()["constructor"]["num_heads"].get<int>();
  const auto from_hub = import_and_check_accounts(hub.checkpoint(), folder / "hub.safetensors", heads, 1);
  const auto from_hf = import_and_check_accounts(hf.checkpoint(), folder / "hf.safetensors", heads, 1);
  EXPECT_EQ(from_hub.family, "DINOv2 (torch hub)");
  EXPECT_EQ(from_hf.family, "DINOv2 (Hugging Face)");
  EXPECT_EQ(from_hub.ignored, std::vector<std::string>{"mask_token"});
  expect_backbone(from_hub.info, hub.json()["constructor"]);
  expect_backbone(from_hf.info, hf.json()["constructor"]);
  EXPECT_EQ(from_hub.info.fingerprint, from_hf.info.fingerprint);
  const auto loaded = load_model_file(folder / "hf.safetensors");
  EXPECT_EQ(loaded->config.vit().swiglu, std::string(GetParam()) == "swiglu");
  EXPECT_TRUE(loaded->config.vit().layer_scale);
  EXPECT_EQ(loaded->config.vit().pos_rows, 37);
  EXPECT_EQ(loaded->config.head.kind, kNoHead);
}

INSTANTIATE_TEST_SUITE_P(Variants, Dinov2, ::testing::Values("plain", "reg4", "swiglu"));

TEST(ImportGolden, SaladFlatAndInsideALightningCheckpoint) {
  REVISIT_REQUIRE_SHARED("golden/salad_e2e");
  const TempFolder folder;
  std::vector<std::string> fingerprints;
  for (const std::string name : {"salad_e2e", "salad_lightning"}) {
    const GoldenCase golden(name);
    const auto report = import_and_check_accounts(golden.checkpoint(), folder / "m.safetensors", {}, 1);
    EXPECT_EQ(report.family, "SALAD");
    EXPECT_EQ(report.used.size(), 61U);
    EXPECT_EQ(report.ignored, std::vector<std::string>{"backbone.model.mask_token"});
    expect_backbone(report.info, golden.json()["constructor"]["backbone"]);
    EXPECT_EQ(report.info.aggregator, "salad");
    EXPECT_EQ(report.info.clusters, 16);
    EXPECT_EQ(report.info.descriptor_dim, 16 * 32 + 32);
    EXPECT_FALSE(report.info.own.prune);
    EXPECT_EQ(report.info.provenance, golden.checkpoint().filename().string());
    fingerprints.push_back(report.info.fingerprint);
  }
  EXPECT_EQ(fingerprints[0], fingerprints[1]);
}

TEST(ImportGolden, WeiadWithWeitop) {
  REVISIT_REQUIRE_SHARED("golden/weitop_e2e");
  const TempFolder folder;
  const GoldenCase golden("weitop_e2e");
  const auto report = import_and_check_accounts(golden.checkpoint(), folder / "m.safetensors", {}, 1);
  EXPECT_EQ(report.family, "WeiAD");
  expect_backbone(report.info, golden.json()["constructor"]["backbone"]);
  EXPECT_EQ(report.info.aggregator, "weiad");
  EXPECT_EQ(report.info.clusters, 64);
  EXPECT_EQ(report.info.descriptor_dim, 64 * 16 + 24);
  EXPECT_EQ(report.info.own.prune, "weitop");
  EXPECT_EQ(report.info.own.kappa, 0.5);
  const auto loaded = load_model_file(folder / "m.safetensors");
  EXPECT_EQ(loaded->config.head.transport().tiers, golden.json()["constructor"]["tiers"].get<std::vector<int>>());
  EXPECT_EQ(loaded->config.head.transport().hidden, 48);
  EXPECT_EQ(loaded->config.weitop_hidden, 32);
  const auto source = read_checkpoint(golden.checkpoint());
  EXPECT_EQ(to_f32(loaded->weights.at("aggregator.thetaD")), to_f32(source.weights.at("aggregator.thetaD")));
}

TEST(ImportReal, DinoV2Small) {
  REVISIT_REQUIRE_SHARED("weights/dinov2_vits14_dav2");
  const TempFolder folder;
  const auto from = shared_folder() / "weights/dinov2_vits14_dav2/dinov2_vits14_dav2.safetensors";
  const auto report = import_and_check_accounts(from, folder / "m.safetensors", {}, 1);
  EXPECT_EQ(report.family, "DINOv2 (torch hub)");
  EXPECT_EQ(report.info.arch, "dinov2_vits14");
  EXPECT_EQ(report.info.heads, 6);
  EXPECT_EQ(report.info.parameters, 22'056'576 - 384);  // without the mask token
  EXPECT_EQ(report.info.mean, (std::array<float, 3>{0.485F, 0.456F, 0.406F}));
  // Half-precision matrices are stored as f32.
  EXPECT_EQ(load_model_file(folder / "m.safetensors")->weights.at("backbone.model.blocks.0.attn.qkv.weight").dtype, DType::kF32);
}

TEST(ImportReal, VitTinyPatch16) {
  REVISIT_REQUIRE_SHARED("weights/vit_tiny_patch16_224");
  const TempFolder folder;
  const auto from = shared_folder() / "weights/vit_tiny_patch16_224/vit_tiny_patch16_224.safetensors";
  const auto report = import_and_check_accounts(from, folder / "m.safetensors", {}, 2);
  EXPECT_EQ(report.family, "timm ViT");
  EXPECT_EQ(report.ignored, (std::vector<std::string>{"head.bias", "head.weight"}));
  EXPECT_EQ(report.info.arch, "vit_tiny_patch16");
  EXPECT_EQ(report.info.heads, 3);
  EXPECT_EQ(report.info.size, (Size{224, 224}));
  EXPECT_EQ(report.info.resize, "bicubic");
  EXPECT_EQ(report.info.pos_rule, "timm");
  EXPECT_EQ(report.info.mean, (std::array<float, 3>{0.5F, 0.5F, 0.5F}));
  EXPECT_EQ(report.info.std, (std::array<float, 3>{0.5F, 0.5F, 0.5F}));
}

}  // namespace
}  // namespace revisit::model

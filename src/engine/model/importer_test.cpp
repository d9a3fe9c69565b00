// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Importing tiny state dicts of every family.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/model/test_models.h"
#include "revisit/error.h"
#include "revisit/model.h"

namespace revisit::model {
namespace {

using testing::hub_names;
using testing::renamed;
using testing::tiny_backbone;
using testing::tiny_config;

class Import : public ::testing::Test {
 protected:
  ImportReport import(const Weights& source, const ImportOptions& options = {},
                      const std::map<std::string, std::string>& metadata = {}) {
    write_safetensors(folder_ / "source.safetensors", source, metadata);
    return import_model(folder_ / "source.safetensors", folder_ / "model.safetensors", options);
  }
  std::shared_ptr<const LoadedModel> imported() const { return load_model_file(folder_ / "model.safetensors"); }
  Error refusal(const Weights& source, const ImportOptions& options = {}) {
    try {
      import(source, options);
    } catch (const Error& error) {
      EXPECT_FALSE(std::filesystem::exists(folder_ / "model.safetensors"));
      return error;
    }
    return Error(ErrorCode::kInternal, "it was accepted");
  }

  testing::TempFolder folder_;
};

/// Our names -> Hugging Face names; the fused qkv is split by the caller.
std::string hf_name(std::string name) {
  const auto swap = [&](const std::string& from, const std::string& to) {
    if (const auto at = name.find(from); at != std::string::npos) name.replace(at, from.size(), to);
  };
  swap("backbone.model.", "");
  const bool top = !name.starts_with("blocks.");
  if (top && name.starts_with("norm.")) swap("norm.", "layernorm.");
  swap("pos_embed", "embeddings.position_embeddings");
  swap("patch_embed.proj", "embeddings.patch_embeddings.projection");
  if (name == "cls_token" || name == "register_tokens") name = "embeddings." + name;
  swap("blocks.", "encoder.layer.");
  swap("attn.proj", "attention.output.dense");
  swap("mlp.w12", "mlp.weights_in");
  swap("mlp.w3", "mlp.weights_out");
  swap("ls1.gamma", "layer_scale1.lambda1");
  swap("ls2.gamma", "layer_scale2.lambda1");
  return name;
}

Weights hugging_face(const Config& config, const std::string& prefix) {
  Weights out;
  const auto model = make_random(config, 1);
  for (const auto& [name, tensor] : model->weights.all()) {
    const auto values = to_f32(tensor);
    const auto at = name.find("attn.qkv");
    if (at == std::string::npos) {
      out.add_f32(prefix + hf_name(name), tensor.shape, values);
      continue;
    }
    auto shape = tensor.shape;
    shape[0] /= 3;
    const auto third = static_cast<std::ptrdiff_t>(values.size() / 3);
    int part = 0;
    for (const std::string word : {"query", "key", "value"}) {
      std::string to = name;
      to.replace(at, 8, "attention.attention." + word);
      out.add_f32(prefix + hf_name(to), shape, {values.begin() + part * third, values.begin() + (part + 1) * third});
      ++part;
    }
  }
  return out;
}

TEST_F(Import, AHubBackboneKeepsItsWeightsAndGetsTheFamilyDefaults) {
  Weights source = renamed(tiny_backbone(), hub_names("module.backbone."));
  source.add_f32("module.backbone.mask_token", {1, 16}, std::vector<float>(16));
  const auto report = import(source, {}, {{"license", "Apache-2.0"}});
  EXPECT_EQ(report.family, "DINOv2 (torch hub)");
  EXPECT_EQ(report.used.size(), source.all().size() - 1);
  EXPECT_EQ(report.ignored, std::vector<std::string>{"module.backbone.mask_token"});
  EXPECT_TRUE(report.missing.empty());
  EXPECT_EQ(report.info.size, (Size{322, 322}));
  EXPECT_EQ(report.info.resize, "bilinear");
  EXPECT_EQ(report.info.pos_rule, "hub");
  EXPECT_EQ(report.info.mean, (std::array<float, 3>{0.485F, 0.456F, 0.406F}));
  EXPECT_EQ(report.info.aggregator, "none");
  EXPECT_EQ(report.info.descriptor_dim, 0);
  EXPECT_EQ(report.info.licence, "Apache-2.0");
  EXPECT_EQ(report.info.provenance, "source.safetensors");
  EXPECT_EQ(report.info.fingerprint, make_random(tiny_backbone(), 1)->config.fingerprint);
  EXPECT_EQ(fingerprint_of(imported()->weights), report.info.fingerprint);
}

TEST_F(Import, HuggingFaceGivesTheSameModelAsHub) {
  for (const bool swiglu : {false, true}) {
    Config config = tiny_backbone();
    config.vit().swiglu = swiglu;
    config.vit().registers = swiglu ? 4 : 0;
    for (const std::string prefix : {"", "dinov2."}) {
      const auto report = import(hugging_face(config, prefix));
      EXPECT_EQ(report.family, "DINOv2 (Hugging Face)");
      EXPECT_EQ(report.info.registers, swiglu ? 4 : 0);
      EXPECT_EQ(report.info.pos_rule, swiglu ? "hub-antialias" : "hub");
      EXPECT_EQ(report.info.fingerprint, make_random(config, 1)->config.fingerprint);
      EXPECT_TRUE(report.ignored.empty());
    }
  }
}

TEST_F(Import, ATimmVitHasNoLayerScaleAndItsOwnInput) {
  Config config = tiny_backbone();
  config.vit().layer_scale = false;
  config.vit().patch = 16;
  config.input.size = {48, 48};
  Weights source = renamed(config, hub_names(""));
  source.add_f32("head.weight", {3, 16}, std::vector<float>(48));
  source.add_f32("head.bias", {3}, std::vector<float>(3));
  const auto report = import(source);
  EXPECT_EQ(report.family, "timm ViT");
  EXPECT_EQ(report.info.size, (Size{224, 224}));
  EXPECT_EQ(report.info.resize, "bicubic");
  EXPECT_EQ(report.info.mean, (std::array<float, 3>{0.5F, 0.5F, 0.5F}));
  EXPECT_EQ(report.info.std, (std::array<float, 3>{0.5F, 0.5F, 0.5F}));
  EXPECT_EQ(report.info.pos_rule, "timm");
  EXPECT_EQ(report.ignored, (std::vector<std::string>{"head.bias", "head.weight"}));
}

TEST_F(Import, SaladAndWeiadHeadsAreToldApartByTheta) {
  EXPECT_EQ(import(renamed(tiny_config(), hub_names("backbone.model."))).family, "WeiAD");
  EXPECT_EQ(imported()->config.head.transport().tiers, default_tiers(8, 4));
  EXPECT_EQ(imported()->config.weitop_hidden, 5);
  const auto salad = import(renamed(tiny_config(), [](const std::string& name) {
    return name.find("theta") != std::string::npos || name.starts_with("weitop") ? "" : "module." + name;
  }));
  EXPECT_EQ(salad.family, "SALAD");
  EXPECT_EQ(salad.info.aggregator, "salad");
  EXPECT_FALSE(salad.info.own.prune);
  EXPECT_EQ(salad.info.descriptor_dim, 38);
}

TEST_F(Import, OtherFloatTypesAreStoredAsF32) {
  Weights source;
  const auto model = make_random(tiny_backbone(), 1);
  std::vector<std::shared_ptr<std::vector<double>>> kept;
  for (const auto& [name, tensor] : model->weights.all()) {
    const auto values = to_f32(tensor);
    kept.push_back(std::make_shared<std::vector<double>>(values.begin(), values.end()));
    source.add(hub_names("")(name),
               TensorView{DType::kF64, tensor.shape, reinterpret_cast<const std::byte*>(kept.back()->data())}, kept.back());
  }
  EXPECT_EQ(import(source).info.fingerprint, model->config.fingerprint);
  const auto loaded = imported();
  for (const auto& [name, tensor] : loaded->weights.all()) EXPECT_EQ(tensor.dtype, DType::kF32) << name;
}

TEST_F(Import, OptionsOverrideTheDefaults) {
  ImportOptions options;
  options.heads = 4;
  options.mean = std::array<float, 3>{0.1F, 0.2F, 0.3F};
  options.std = std::array<float, 3>{0.4F, 0.5F, 0.6F};
  options.resize = ResizeFilter::kBicubic;
  options.size = Size{28, 56};
  options.pos_rule = "hf";
  const auto info = import(renamed(tiny_backbone(), hub_names("")), options).info;
  EXPECT_EQ(info.heads, 4);
  EXPECT_EQ(info.mean, *options.mean);
  EXPECT_EQ(info.std, *options.std);
  EXPECT_EQ(info.resize, "bicubic");
  EXPECT_EQ(info.size, *options.size);
  EXPECT_EQ(info.pos_rule, "hf");
}

TEST_F(Import, OptionsThatCannotBeMeantAreUsageErrors) {
  const Weights source = renamed(tiny_backbone(), hub_names(""));
  const auto code = [&](const std::function<void(ImportOptions&)>& set) {
    ImportOptions options;
    set(options);
    return refusal(source, options).code();
  };
  EXPECT_EQ(code([](auto& o) { o.heads = 3; }), ErrorCode::kUsage);
  EXPECT_EQ(code([](auto& o) { o.size = Size{100, 100}; }), ErrorCode::kUsage);
  EXPECT_EQ(code([](auto& o) { o.size = Size{0, 0}; }), ErrorCode::kUsage);
  EXPECT_EQ(code([](auto& o) { o.pos_rule = "nearest"; }), ErrorCode::kUsage);
  EXPECT_EQ(code([](auto& o) { o.arch = "resnet50"; }), ErrorCode::kUsage);
  EXPECT_EQ(code([](auto& o) { o.std = std::array<float, 3>{1, 0, 1}; }), ErrorCode::kUsage);
}

TEST_F(Import, AModelFileIsNotImportedTwice) {
  save_model_file(folder_ / "ours.safetensors", *make_random(tiny_config(), 1));
  EXPECT_THROW(import_model(folder_ / "ours.safetensors", folder_ / "model.safetensors"), Error);
}

TEST_F(Import, MissingTensorsAreListedInTheSourcesOwnWords) {
  Weights source;
  const Weights whole = hugging_face(tiny_backbone(), "");
  for (const auto& [name, tensor] : whole.all()) {
    if (name.find("layer.1.attention.attention.key") == std::string::npos) source.add_f32(name, tensor.shape, to_f32(tensor));
  }
  const Error error = refusal(source);
  EXPECT_EQ(error.code(), ErrorCode::kBadModel);
  EXPECT_NE(std::string(error.what()).find("2 missing: encoder.layer.1.attention.attention.key.bias"), std::string::npos)
      << error.what();
}

}  // namespace
}  // namespace revisit::model

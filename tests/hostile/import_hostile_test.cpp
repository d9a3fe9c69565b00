// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Checkpoints that must not become models: values that are not numbers, and networks that are not what they claim.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/model/test_models.h"
#include "revisit/error.h"
#include "revisit/model.h"

namespace revisit::model {
namespace {

using testing::hub_names;
using testing::renamed;
using testing::TempFolder;
using testing::tiny_backbone;
using testing::tiny_config;

/// A copy with one value of one tensor replaced.
Weights with_value(const Weights& source, const std::string& victim, float value) {
  Weights out;
  for (const auto& [name, tensor] : source.all()) {
    auto values = to_f32(tensor);
    if (name == victim) values[values.size() / 2] = value;
    out.add_f32(name, tensor.shape, std::move(values));
  }
  return out;
}

/// A copy without the tensors whose name holds `part`.
Weights without(const Weights& source, const std::string& part) {
  Weights out;
  for (const auto& [name, tensor] : source.all()) {
    if (name.find(part) == std::string::npos) out.add_f32(name, tensor.shape, to_f32(tensor));
  }
  return out;
}

/// A copy with one tensor of zeros in place of (or beside) the others.
Weights with_tensor(const Weights& source, const std::string& name, const std::vector<std::int64_t>& shape) {
  Weights out;
  for (const auto& [other, tensor] : source.all()) {
    if (other != name) out.add_f32(other, tensor.shape, to_f32(tensor));
  }
  std::int64_t count = 1;
  for (const auto size : shape) count *= size;
  out.add_f32(name, shape, std::vector<float>(static_cast<std::size_t>(count)));
  return out;
}

std::string refusal(const Weights& source, const ImportOptions& options = {}) {
  const TempFolder folder;
  write_safetensors(folder / "bad.safetensors", source, {});
  try {
    import_model(folder / "bad.safetensors", folder / "out.safetensors", options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadModel) << error.what();
    EXPECT_EQ(exit_code_of(error.code()), 3);
    EXPECT_FALSE(std::filesystem::exists(folder / "out.safetensors"));
    EXPECT_NE(std::string(error.what()).find("bad.safetensors"), std::string::npos) << error.what();
    return error.what();
  }
  return "";
}

// One of each kind of tensor a model has.
class NonFinite : public ::testing::TestWithParam<const char*> {};

TEST_P(NonFinite, IsRefusedByTheNameOfItsTensor) {
  const Weights source = renamed(tiny_config(), [](const std::string& name) { return name; });
  ASSERT_TRUE(source.contains(GetParam()));
  for (const float value : {std::nanf(""), std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
    const std::string sentence = refusal(with_value(source, GetParam(), value));
    EXPECT_NE(sentence.find("'" + std::string(GetParam()) + "'"), std::string::npos) << sentence;
  }
}

TEST_P(NonFinite, IsImportedWhenAskedFor) {
  const TempFolder folder;
  const Weights source = renamed(tiny_config(), [](const std::string& name) { return name; });
  write_safetensors(folder / "nan.safetensors", with_value(source, GetParam(), std::nanf("")), {});
  ImportOptions options;
  options.allow_nonfinite = true;
  EXPECT_NO_THROW(import_model(folder / "nan.safetensors", folder / "out.safetensors", options));
  EXPECT_EQ(load_model_file(folder / "out.safetensors")->config.nonfinite, GetParam()) << "so that nobody runs it";
}

INSTANTIATE_TEST_SUITE_P(TwelveKinds, NonFinite,
                         ::testing::Values("backbone.model.cls_token", "backbone.model.pos_embed",
                                           "backbone.model.patch_embed.proj.weight", "backbone.model.blocks.0.norm1.weight",
                                           "backbone.model.blocks.0.attn.qkv.weight", "backbone.model.blocks.1.attn.proj.bias",
                                           "backbone.model.blocks.1.ls1.gamma", "backbone.model.blocks.1.mlp.fc2.weight",
                                           "backbone.model.norm.bias", "aggregator.score.3.weight", "aggregator.thetaD",
                                           "weitop.2.weight"));

/// ViT-S with few rows of positions, so that the file stays small.
Weights vits14(bool registers = false, int patch = 14) {
  Config config;
  config.vit() = *known_arch(registers ? "dinov2_vits14_reg4" : "dinov2_vits14");
  config.vit().patch = patch;
  config.input.size = {4 * patch, 4 * patch};
  config.vit().depth = 2;
  config.vit().pos_rows = config.vit().pos_cols = 4;
  return renamed(config, hub_names(""));
}

ImportOptions as(const std::string& arch) {
  ImportOptions options;
  options.arch = arch;
  return options;
}

bool says(const std::string& sentence, const std::string& words) { return sentence.find(words) != std::string::npos; }

TEST(WrongArchitecture, ViTSmallAsBaseListsTheShapesThatDiffer) {
  const std::string sentence = refusal(vits14(), as("dinov2_vitb14"));
  EXPECT_TRUE(says(sentence, "not dinov2_vitb14")) << sentence;
  EXPECT_TRUE(says(sentence, "blocks.0.attn.proj.bias is [384], not [768]")) << sentence;
  EXPECT_TRUE(says(sentence, "of another shape")) << sentence;
  EXPECT_TRUE(says(sentence, " more")) << sentence;
}

TEST(WrongArchitecture, TooFewBlocksAreMissing) {
  const std::string sentence = refusal(vits14(), as("dinov2_vits14"));
  EXPECT_TRUE(says(sentence, "140 missing: blocks.10.attn.proj.bias")) << sentence;
  EXPECT_TRUE(says(sentence, "and 135 more")) << sentence;
}

TEST(WrongArchitecture, RegistersWhereNoneAreWanted) {
  EXPECT_TRUE(says(refusal(vits14(true), as("dinov2_vits14")), "1 unexpected: register_tokens"));
}

TEST(WrongArchitecture, NoRegistersWhereFourAreWanted) {
  EXPECT_TRUE(says(refusal(vits14(), as("dinov2_vits14_reg4")), "missing"));
}

TEST(WrongArchitecture, Patch16As14) {
  const std::string sentence = refusal(vits14(false, 16), as("dinov2_vits14"));
  EXPECT_TRUE(says(sentence, "1 of another shape: patch_embed.proj.weight is [384, 3, 16, 16], not [384, 3, 14, 14]"))
      << sentence;
}

TEST(WrongArchitecture, AnotherNumberOfHeads) {
  Config config;
  config.vit() = *known_arch("vit_tiny_patch16");
  config.vit().pos_rows = config.vit().pos_cols = 2;
  config.input.size = {32, 32};
  ImportOptions options = as("vit_tiny_patch16");
  options.heads = 6;
  EXPECT_TRUE(says(refusal(renamed(config, hub_names("")), options), "that has 3 heads"));
}

TEST(WrongArchitecture, AMissingBlockInTheMiddle) {
  Config config = tiny_backbone();
  config.vit().depth = 3;
  const std::string sentence = refusal(without(renamed(config, hub_names("")), "blocks.1."));
  EXPECT_TRUE(says(sentence, "14 missing: blocks.1.attn.proj.bias")) << sentence;
  EXPECT_TRUE(says(sentence, "and 9 more")) << sentence;
}

TEST(WrongArchitecture, MissingTopTensors) {
  const Weights whole = renamed(tiny_backbone(), hub_names(""));
  for (const std::string part : {"cls_token", "pos_embed", "patch_embed.proj.weight", "patch_embed.proj.bias"}) {
    EXPECT_TRUE(says(refusal(without(whole, part)), "1 missing: " + part)) << part;
  }
}

TEST(WrongArchitecture, AnExtraLayerInsideABlock) {
  const Weights whole = renamed(tiny_backbone(), hub_names(""));
  EXPECT_TRUE(
      says(refusal(with_tensor(whole, "blocks.0.attn.q_norm.weight", {16})), "1 unexpected: blocks.0.attn.q_norm.weight"));
}

TEST(WrongArchitecture, OneLayerOfAnotherShape) {
  const Weights whole = renamed(tiny_backbone(), hub_names(""));
  EXPECT_TRUE(says(refusal(with_tensor(whole, "blocks.1.mlp.fc2.weight", {16, 31})),
                   "1 of another shape: blocks.1.mlp.fc2.weight is [16, 31], not [16, 32]"));
}

TEST(WrongArchitecture, AHalfHead) {
  const Weights whole = renamed(tiny_config(), [](const std::string& name) { return name; });
  EXPECT_TRUE(says(refusal(without(whole, "aggregator.score.3")), "aggregator.score.3.bias"));
  EXPECT_TRUE(says(refusal(without(whole, "aggregator.theta0")), "1 missing: aggregator.theta0"));
  EXPECT_TRUE(says(refusal(without(whole, "weitop.0.bias")), "1 missing: weitop.0.bias"));
}

TEST(WrongArchitecture, AHeadOfAnotherWidthThanTheBackbone) {
  const Weights whole = renamed(tiny_config(), [](const std::string& name) { return name; });
  EXPECT_TRUE(
      says(refusal(with_tensor(whole, "aggregator.score.0.weight", {12, 24, 1, 1})), "is [12, 24, 1, 1], not [12, 16, 1, 1]"));
}

TEST(WrongArchitecture, AHeadNobodyKnows) {
  const Weights whole = renamed(tiny_backbone(), hub_names("backbone.model."));
  EXPECT_TRUE(says(refusal(with_tensor(whole, "aggregator.mix.0.weight", {4, 4})), "aggregator.mix.0.weight"));
}

TEST(WrongArchitecture, AHeadWithoutABackboneAndAConvolutionalNetwork) {
  const Weights whole = renamed(tiny_config(), [](const std::string& name) { return name; });
  EXPECT_TRUE(says(refusal(without(whole, "backbone")), "no network that revisit knows"));
  EXPECT_TRUE(says(refusal(with_tensor(Weights{}, "conv1.weight", {8, 3, 7, 7})), "missing: bn1.bias, bn1.running_mean"));
}

TEST(WrongArchitecture, AbsurdShapesAreRefusedBeforeAnythingIsAllocated) {
  const Weights whole = renamed(tiny_backbone(), hub_names(""));
  EXPECT_FALSE(refusal(with_tensor(whole, "patch_embed.proj.weight", {16, 3, 14, 0})).empty());
  EXPECT_FALSE(refusal(with_tensor(whole, "patch_embed.proj.weight", {0, 3, 14, 14})).empty());
  EXPECT_FALSE(refusal(with_tensor(whole, "pos_embed", {1, 0, 16})).empty());
  EXPECT_FALSE(refusal(with_tensor(whole, "pos_embed", {1, 7, 16})).empty());
  EXPECT_FALSE(refusal(with_tensor(whole, "pos_embed", {})).empty());
  EXPECT_FALSE(refusal(with_tensor(whole, "register_tokens", {1, 1000000000, 0})).empty());
  EXPECT_FALSE(refusal(with_tensor(whole, "blocks.999.norm1.weight", {16})).empty());
}

}  // namespace
}  // namespace revisit::model

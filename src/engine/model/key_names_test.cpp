// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Foreign names of every family.
#include "engine/model/key_names.h"

#include <gtest/gtest.h>

#include "engine/model/vit_names.h"

namespace revisit::model {
namespace {

using Names = std::vector<std::string>;

TEST(KeyNames, HubNamesAreFoundBehindEveryKnownPrefix) {
  for (const std::string prefix : {"", "module.", "backbone.", "module.backbone.", "backbone.model.", "pretrained."}) {
    const KeyMap map =
        map_keys({prefix + "cls_token", prefix + "blocks.3.attn.qkv.weight", prefix + "norm.bias", prefix + "mask_token"});
    EXPECT_EQ(map.backbone_prefix, prefix);
    EXPECT_EQ(map.naming, &hub_naming());
    EXPECT_EQ(map.placed.size(), 3U);
    EXPECT_EQ(map.placed.at("backbone.model.blocks.3.attn.qkv.weight"), Names{prefix + "blocks.3.attn.qkv.weight"});
    EXPECT_EQ(map.ignored, Names{prefix + "mask_token"});
    EXPECT_EQ(map.source_names("backbone.model.blocks.7.ls1.gamma"), Names{prefix + "blocks.7.ls1.gamma"});
    EXPECT_EQ(map.source_names("backbone.model.pos_embed"), Names{prefix + "pos_embed"});
  }
}

TEST(KeyNames, ChunkedBlocksCountOverAllChunks) {
  const KeyMap map = map_keys({"cls_token", "blocks.0.2.norm1.weight", "blocks.1.5.mlp.w12.bias"});
  EXPECT_TRUE(map.placed.contains("backbone.model.blocks.2.norm1.weight"));
  EXPECT_TRUE(map.placed.contains("backbone.model.blocks.5.mlp.w12.bias"));
}

TEST(KeyNames, PredictorsOfDynamicVitKeepTheirNames) {
  const KeyMap map = map_keys({"cls_token", "score_predictor.0.in_conv.0.weight", "score_predictor.2.out_conv.4.bias",
                               "score_predictor.2.out_conv.5.bias", "score_predictor.10.out_conv.4.bias", "score_predictor.x"});
  EXPECT_TRUE(map.placed.contains("score_predictor.0.in_conv.0.weight"));
  EXPECT_TRUE(map.placed.contains("score_predictor.2.out_conv.4.bias"));
  EXPECT_EQ(map.unexpected.size(), 3U) << "of a predictor that revisit does not have";
}

TEST(KeyNames, HuggingFacePartsAreGatheredInOrder) {
  for (const std::string prefix : {"", "dinov2."}) {
    const std::string layer = prefix + "encoder.layer.1.";
    const KeyMap map = map_keys({prefix + "embeddings.cls_token", layer + "attention.attention.key.weight",
                                 layer + "attention.attention.query.weight", layer + "mlp.weights_in.bias",
                                 layer + "layer_scale2.lambda1", prefix + "layernorm.weight", "classifier.weight"});
    EXPECT_EQ(map.naming, &hugging_face_naming());
    const std::string attention = layer + "attention.attention.";
    EXPECT_EQ(map.placed.at("backbone.model.blocks.1.attn.qkv.weight"),
              (Names{attention + "query.weight", attention + "key.weight", ""}));
    EXPECT_TRUE(map.placed.contains("backbone.model.blocks.1.mlp.w12.bias"));
    EXPECT_TRUE(map.placed.contains("backbone.model.blocks.1.ls2.gamma"));
    EXPECT_TRUE(map.placed.contains("backbone.model.norm.weight"));
    EXPECT_EQ(map.ignored, Names{"classifier.weight"});
    EXPECT_EQ(map.source_names("backbone.model.blocks.1.attn.qkv.bias"),
              (Names{attention + "query.bias", attention + "key.bias", attention + "value.bias"}));
  }
}

TEST(KeyNames, SaladAndWeitopStandBesideTheBackbone) {
  const KeyMap map = map_keys({"module.backbone.model.cls_token", "module.aggregator.score.0.weight", "module.aggregator.thetaD",
                               "module.weitop.2.bias", "module.loss.scale"});
  EXPECT_TRUE(map.has_backbone());
  EXPECT_EQ(map.placed.at("aggregator.score.0.weight"), Names{"module.aggregator.score.0.weight"});
  EXPECT_TRUE(map.placed.contains("aggregator.thetaD"));
  EXPECT_TRUE(map.placed.contains("weitop.2.bias"));
  EXPECT_EQ(map.ignored, Names{"module.loss.scale"});
  EXPECT_EQ(map.source_names("aggregator.dust_bin"), Names{"module.aggregator.dust_bin"});
}

TEST(KeyNames, PartsOfTheForwardPassWeDoNotKnowAreUnexpectedNotIgnored) {
  const Names odd{
      "aggregator.mix.0.weight", "blocks.0.attn.q_norm.weight", "blocks.0.norm1.running_mean", "blocks.99999.norm1.weight",
      "norm_pre.weight",         "patch_embed.norm.weight"};
  Names names = odd;
  names.push_back("cls_token");
  EXPECT_EQ(map_keys(names).unexpected, odd);
}

TEST(KeyNames, NothingKnownMeansNoBackbone) {
  const KeyMap map = map_keys({"stem.weight", "stage1.0.norm.bias"});
  EXPECT_FALSE(map.has_backbone());
  EXPECT_EQ(map.ignored.size(), 2U);
  EXPECT_FALSE(map_keys({}).has_backbone());
}

}  // namespace
}  // namespace revisit::model

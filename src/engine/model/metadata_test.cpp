// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Metadata of model files: round trip, and refusal of everything out of range.
#include <gtest/gtest.h>

#include "engine/model/model_file.h"
#include "engine/model/test_models.h"
#include "revisit/error.h"

namespace revisit::model {
namespace {

using Metadata = std::map<std::string, std::string>;

std::string refusal(const Metadata& metadata) {
  try {
    from_metadata(metadata, "m.safetensors");
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadModel);
    return error.what();
  }
}

TEST(Metadata, AConfigReadsBackExactly) {
  Config config = testing::tiny_config();
  config.vit().pos_rule = PosRule::kHubAntialias;
  config.vit().norm_eps = 1.2345678e-5F;
  config.input.mean = {0.1F, 1.0F / 3.0F, 0.7654321F};
  config.input.resize = ResizeFilter::kBicubic;
  config.head.transport().ghost_penalty = 1.0 / 3.0;
  config.head.transport().tier_floor = 1e-3;
  config.head.transport().dustbin = false;
  config.head.transport().norm = ClusterNorm::kSalad;
  config.own.kappa = 0.1 + 0.2;
  config.own.norm_scale = "raw";
  config.own.spread = 3;
  config.calibration = Calibration{0.61803398874989, 0.99, 0.7, {280, 322}};
  config.licence = "CC0";
  config.provenance = "a.pth";
  config.fingerprint = "0123456789abcdef";

  const auto metadata = to_metadata(config);
  const Config back = from_metadata(metadata, "m");
  EXPECT_EQ(to_metadata(back), metadata);
  EXPECT_EQ(back.vit().norm_eps, config.vit().norm_eps);
  EXPECT_EQ(back.input.mean, config.input.mean);
  EXPECT_EQ(back.head.transport().ghost_penalty, config.head.transport().ghost_penalty);
  EXPECT_EQ(back.head.transport().tiers, config.head.transport().tiers);
  EXPECT_FALSE(back.head.transport().dustbin);
  EXPECT_EQ(back.own, config.own);
  EXPECT_EQ(back.calibration->min_similarity, config.calibration->min_similarity);
  EXPECT_EQ(back.calibration->size, (Size{280, 322}));
}

TEST(Metadata, PredictorsOfDynamicVitAreKeptWithTheirNumber) {
  Config config = testing::tiny_backbone();
  config.own.prune = "dynamicvit";
  config.predictors = 1;
  Metadata metadata = to_metadata(config);
  EXPECT_EQ(metadata.at("pruner"), "dynamicvit");
  const Config back = from_metadata(metadata, "m");
  EXPECT_EQ(back.predictors, 1);
  EXPECT_EQ(back.own, config.own);
  EXPECT_EQ(required_tensors(back).size(), required_tensors(testing::tiny_backbone()).size() + 10);
  metadata["pruner.stages"] = "99";
  EXPECT_NE(refusal(metadata).find("pruner.stages is 99, outside 1 to "), std::string::npos) << refusal(metadata);
  metadata.erase("pruner.stages");
  EXPECT_NE(refusal(metadata), "") << "a pruner without its predictors";
}

TEST(Metadata, APrunerThatTheNetworkWasTrainedWithIsKeptWithItsOptionsAlone) {
  Config config = testing::tiny_config();
  config.own = {};
  config.weitop_hidden = 0;
  config.own.prune = "tome";
  EXPECT_FALSE(to_metadata(config).contains("pruner.options"));
  config.own.prune_options = "prop_attn=false";
  const Metadata metadata = to_metadata(config);
  EXPECT_EQ(metadata.at("pruner"), "tome");
  EXPECT_EQ(metadata.at("pruner.options"), "prop_attn=false");
  EXPECT_FALSE(metadata.contains("pruner.layer"));
  EXPECT_EQ(from_metadata(metadata, "m").own, config.own);
}

TEST(Metadata, AModelsPrecisionNeedsNoPrunerAndIsOpenWhereItIsNotRecorded) {
  for (Config config : {testing::tiny_config(), testing::tiny_backbone()}) {
    EXPECT_FALSE(to_metadata(config).contains("precision"));
    EXPECT_FALSE(from_metadata(to_metadata(config), "m").own.precision);
    const std::string identity = identity_of(config);
    config.own.precision = "auto";
    const auto metadata = to_metadata(config);
    EXPECT_EQ(metadata.at("precision"), "auto");
    EXPECT_EQ(from_metadata(metadata, "m").own.precision, "auto");
    EXPECT_EQ(identity_of(config), identity);
    auto bad = metadata;
    bad["precision"] = "int4";
    EXPECT_EQ(refusal(bad), "'m.safetensors': precision is 'int4', but must be one of auto, f32, bf16, int8");
  }
}

TEST(Metadata, ARankingOfClustersIsOfThePhotoUnlessItSaysFrozen) {
  Config config = testing::tiny_config();
  EXPECT_FALSE(to_metadata(config).contains("aggregator.ranking"));
  EXPECT_FALSE(required_tensors(config).contains("aggregator.mean_alpha"));
  const std::string identity = identity_of(config);
  config.head.transport().frozen_ranking = true;
  Metadata metadata = to_metadata(config);
  EXPECT_EQ(metadata.at("aggregator.ranking"), "frozen");
  EXPECT_TRUE(from_metadata(metadata, "m").head.transport().frozen_ranking);
  EXPECT_EQ(required_tensors(config).at("aggregator.mean_alpha"), Shape{config.head.clusters()});
  EXPECT_NE(identity_of(config), identity) << "other descriptors";
  metadata["aggregator.ranking"] = "thawed";
  EXPECT_NE(refusal(metadata).find("'thawed'"), std::string::npos) << refusal(metadata);
}

TEST(Metadata, SaysThingsInReadableWords) {
  const auto metadata = to_metadata(named_config("vitb14"));
  EXPECT_EQ(metadata.at("revisit.format"), "1");
  EXPECT_EQ(metadata.at("arch"), "dinov2_vitb14");
  EXPECT_EQ(metadata.at("size"), "322x322");
  EXPECT_EQ(metadata.at("mean"), "0.485,0.456,0.406");
  EXPECT_EQ(metadata.at("aggregator.tiers"), "24,20,16,4");
  EXPECT_EQ(metadata.at("pruner.kappa"), "0.5");
  EXPECT_FALSE(metadata.contains("pruner.spread")) << "the paper's choice reads as it always did";
  EXPECT_EQ(metadata.at("pos_rule"), "hub");
}

TEST(Metadata, WeightsThatAreNoModelFileGetAHintToImportThem) {
  try {
    from_metadata({{"format", "pt"}}, "dino.safetensors");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadModel);
    EXPECT_EQ(error.hint(), "revisit model import makes a model file of it");
  }
}

TEST(Metadata, ANewerFormatIsRefusedWithASentence) {
  auto metadata = to_metadata(testing::tiny_config());
  metadata["revisit.format"] = "2";
  EXPECT_NE(refusal(metadata).find("newer than 1"), std::string::npos);
}

TEST(Metadata, EveryNeededKeyIsNamedWhenItIsMissing) {
  const auto good = to_metadata(testing::tiny_config());
  for (const auto& [key, value] : good) {
    auto metadata = good;
    metadata.erase(key);
    if (key == "revisit.format") continue;
    EXPECT_NE(refusal(metadata).find("'" + key + "'"), std::string::npos) << key;
  }
}

TEST(Metadata, ValuesOutOfRangeAreRefusedByKey) {
  const auto good = to_metadata(testing::tiny_config());
  ASSERT_EQ(refusal(good), "");
  const std::vector<std::pair<std::string, std::string>> bad{{"width", "0"},
                                                             {"width", "-16"},
                                                             {"width", "1000000000"},
                                                             {"width", "99999999999999999999"},
                                                             {"width", "16 "},
                                                             {"width", ""},
                                                             {"width", "15.5"},
                                                             {"heads", "0"},
                                                             {"heads", "3"},
                                                             {"depth", "0"},
                                                             {"depth", "100000"},
                                                             {"patch", "0"},
                                                             {"registers", "-1"},
                                                             {"ffn_hidden", "2000000000"},
                                                             {"pos_grid", "3"},
                                                             {"pos_grid", "0x3"},
                                                             {"pos_grid", "3x99999"},
                                                             {"pos_rule", "nearest"},
                                                             {"norm_eps", "nan"},
                                                             {"norm_eps", "0"},
                                                             {"norm_eps", "1"},
                                                             {"swiglu", "yes"},
                                                             {"size", "42x43"},
                                                             {"size", "42000x42000"},
                                                             {"size", "0x0"},
                                                             {"mean", "0,0"},
                                                             {"mean", "0,0,inf"},
                                                             {"std", "0.5,0.5,0"},
                                                             {"std", "1,1,-1"},
                                                             {"resize", "nearest"},
                                                             {"aggregator", "netvlad"},
                                                             {"aggregator.clusters", "0"},
                                                             {"aggregator.clusters", "1000000"},
                                                             {"aggregator.hidden", "-5"},
                                                             {"aggregator.tiers", "4,4,4"},
                                                             {"aggregator.tiers", "9,-1"},
                                                             {"aggregator.tiers", "8,"},
                                                             {"aggregator.tiers", "2147483647,2147483647,10"},
                                                             {"aggregator.ghost_penalty", "nan"},
                                                             {"aggregator.tier_floor", "-1"},
                                                             {"aggregator.sinkhorn_iters", "0"},
                                                             {"aggregator.sinkhorn_iters", "1000000"},
                                                             {"pruner.layer", "3"},
                                                             {"pruner.kappa", "1.5"},
                                                             {"pruner.kappa", "nan"},
                                                             {"pruner.hidden", "0"},
                                                             {"pruner.spread", "0"},
                                                             {"pruner.spread", "65"},
                                                             {"licence", std::string(5000, 'x')},
                                                             {"revisit.format", "0"}};
  for (const auto& [key, value] : bad) {
    auto metadata = good;
    metadata[key] = value;
    EXPECT_NE(refusal(metadata), "") << key << " = " << value;
  }
}

}  // namespace
}  // namespace revisit::model

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The registries of backbones and heads: every family is found by its name, and its parts fit together.
#include <gtest/gtest.h>

#include <set>

#include "engine/model/backbone_family.h"
#include "engine/model/backbone_importer.h"
#include "engine/model/head_family.h"
#include "engine/model/key_names.h"
#include "engine/model/model_file.h"
#include "engine/model/test_models.h"
#include "engine/model/vlad_head.h"
#include "revisit/error.h"

namespace revisit::model {

#define REVISIT_HEAD(name) const HeadFamily& name##_head();
#include "engine/model/heads.def"
#define REVISIT_BACKBONE(name) const BackboneFamily& name##_family();
#include "engine/model/backbones.def"

namespace {

TEST(HeadFamilies, AreFoundByTheNameOfTheirLine) {
#define REVISIT_HEAD(name) EXPECT_EQ(&head_family(#name), &name##_head());
#include "engine/model/heads.def"
  EXPECT_EQ(head_family(kNoHead).names().size(), 0U);
  std::set<std::string> names;
  for (const HeadFamily* family : head_families()) EXPECT_TRUE(names.insert(family->name()).second) << family->name();
}

TEST(BackboneFamilies, AreFoundByTheNameOfTheirLine) {
#define REVISIT_BACKBONE(name) EXPECT_EQ(&backbone_family(#name), &name##_family());
#include "engine/model/backbones.def"
  EXPECT_STREQ(Config{}.backbone.family().name(), "vit");
}

TEST(HeadFamilies, AnUnknownNameIsRefusedWithTheKnownOnes) {
  try {
    head_family("rmac");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadModel);
    EXPECT_STREQ(error.what(),
                 "'rmac' is not an aggregator; known are none, megaloc, weiad, salad, netvlad, supervlad, convap, mixvpr, "
                 "cosplace, gem, vlad");
  }
}

TEST(Metadata, ABackboneOfAFamilyNobodyKnowsIsRefused) {
  auto metadata = to_metadata(testing::tiny_config());
  EXPECT_FALSE(metadata.contains("backbone")) << "files of ViTs read as they always did";
  metadata["backbone"] = "vit";
  EXPECT_EQ(from_metadata(metadata, "m").backbone.width(), 16);
  metadata["backbone"] = "mixer";
  try {
    from_metadata(metadata, "m");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadModel);
    EXPECT_STREQ(error.what(), "'m': backbone: 'mixer' is not a backbone family this version knows; known are vit, resnet, vgg");
  }
}

TEST(HeadConfig, SettingsOfAnotherAggregatorAreNotHandedOut) {
  HeadConfig vlad{kVlad, VladHead{8, 16}};
  EXPECT_EQ(vlad.descriptor_dim(), 128);
  EXPECT_EQ(vlad.clusters(), 8);
  EXPECT_THROW(vlad.transport(), Error);
  const HeadConfig salad{kSalad, TransportHead{}};
  EXPECT_THROW(salad.as<VladHead>(), Error);
}

TEST(BackboneConfig, AnswersWhatTheEngineAsksOfAnyNetwork) {
  const BackboneConfig backbone = named_config("vits14").backbone;
  EXPECT_EQ(backbone.arch(), "dinov2_vits14");
  EXPECT_EQ(backbone.width(), 384);
  EXPECT_EQ(backbone.stride(), 14);
  EXPECT_EQ(backbone.blocks(), 12);
  EXPECT_EQ(backbone.grid({224, 322}), (Size{16, 23}));
}

TEST(BackboneConfig, MultiplyAddsFollowThePatchesThatAreLeft) {
  const BackboneConfig backbone = named_config("vits14").backbone;
  // By hand: 3 * 14^2 * 384 for each of 256 patches; 12 D^2 T + 2 D T^2 per block of T = 257 tokens.
  const double embedding = 3.0 * 196 * 384 * 256;
  const auto block = [](double t) { return 12.0 * 384 * 384 * t + 2.0 * 384 * t * t; };
  EXPECT_EQ(backbone.macs({224, 224}, {}), embedding + 12 * block(257));
  std::vector<PatchesInBlock> patches(12, {128, 128});
  patches[0] = {256, 256};
  EXPECT_EQ(backbone.macs({224, 224}, patches), embedding + block(257) + 11 * block(129));
  // What leaves between attention and MLP costs the attention its whole length.
  patches[0].mlp = 128;
  EXPECT_EQ(backbone.macs({224, 224}, patches), embedding + block(257) - 128.0 * 8 * 384 * 384 + 11 * block(129));
}

TEST(RoundToStride, GivesTheNearestMultipleButNeverNone) {
  EXPECT_EQ(round_to_stride({321, 323}, 14), (Size{322, 322}));
  EXPECT_EQ(round_to_stride({1, 13}, 14), (Size{14, 14}));
  EXPECT_EQ(round_to_stride({5, 7}, 1), (Size{5, 7}));
}

}  // namespace
}  // namespace revisit::model

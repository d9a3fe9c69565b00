// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>

#include "revisit/error.h"
#include "revisit/lab/train.h"

namespace revisit {
namespace {

TrainConfig preset(const std::string& name) { return parse_train_config(train_preset(name), name, "here"); }

TEST(Presets, EachIsAConfigurationUnderItsOwnName) {
  for (const auto& name : train_presets()) {
    EXPECT_EQ(preset(name).name, name);
    EXPECT_EQ(train_preset(name).find("{{"), std::string::npos) << "a gap was left";
    EXPECT_LT(preset(name).optimiser.decay_steps, preset(name).steps + 1) << "the lr comes to its end";
  }
}

TEST(Presets, EveryKeyIsExplained) {
  for (const auto& name : train_presets()) {
    std::istringstream lines(train_preset(name));
    for (std::string line; std::getline(lines, line);) {
      const bool is_key = line.find(" = ") != std::string::npos;
      EXPECT_TRUE(!is_key || line.find("  # ") != std::string::npos) << name << ": " << line;
      EXPECT_LE(line.size(), 130U) << name << ": " << line;
    }
  }
}

TEST(Presets, CutAnywhereTheyAreReadOrRefusedWithASentence) {
  const auto text = train_preset("salad-vitb14");
  int refused = 0;
  for (std::size_t length = 0; length < text.size(); ++length) {
    try {
      parse_train_config(text.substr(0, length), "cut", "here");
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("cut:")) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, static_cast<int>(text.size())) << "cut in a comment it is whole";
}

TEST(Presets, WeiadFollowsThePaper) {
  for (const auto* size : {"vits14", "vitb14", "vitl14"}) {
    const auto config = preset(std::string("weiad-") + size);
    EXPECT_EQ(config.model.backbone, std::string("here/dinov2_") + size + "_pretrain.pth");
    EXPECT_EQ(config.model.aggregator, "weiad");
    EXPECT_EQ(config.model.clusters * config.model.cluster_dim + config.model.token_dim, 8448);
    EXPECT_EQ(config.model.tiers, (std::vector<int>{24, 20, 16, 4}));
    EXPECT_EQ(config.model.ghost_penalty, 0.5);
    EXPECT_EQ(config.model.trained_blocks, 4);
    EXPECT_EQ(config.data.size, (Size{224, 224}));
    EXPECT_EQ(config.data.places_per_batch, 60);
    EXPECT_EQ(config.data.images_per_place, 4);
    EXPECT_EQ(config.data.sources.at(0).kind, TrainSource::Kind::kGsvCities);
    EXPECT_EQ(config.data.sources.at(0).path, "here/GSV-Cities");
    EXPECT_EQ(config.augment.rand_augment, 3);
    EXPECT_EQ(config.augment.rand_magnitude, 9);
    EXPECT_EQ(config.loss.ms_beta, 20);
    EXPECT_EQ(config.loss.gamma, 0.1);
    EXPECT_EQ(config.loss.temperature, 0.1);
    EXPECT_EQ(config.optimiser.lr, 6e-5);
    EXPECT_EQ(config.optimiser.weight_decay, 9.5e-9);
    EXPECT_EQ(config.optimiser.decay_steps, 4000);
    EXPECT_EQ(config.optimiser.end_factor, 0.2);
    EXPECT_EQ(config.optimiser.tier_lr_factor, 1) << "one rate for all";
    EXPECT_EQ(config.optimiser.head_lr, 0);
    EXPECT_EQ(config.steps, 4160);
    EXPECT_EQ(config.infer_size(), (Size{322, 322}));
    EXPECT_EQ(config.model.own.kappa, 0.5);
    EXPECT_EQ(config.model.own.prune_layer, 1);
    EXPECT_FALSE(config.loss.teacher_gradient);
    EXPECT_FALSE(config.validation.on_town()) << "a rendered town must not choose a model that stands for the paper's";
  }
}

TEST(Presets, SaladFollowsItsCode) {
  for (const auto* size : {"vits14", "vitb14", "vitl14"}) {
    const auto config = preset(std::string("salad-") + size);
    EXPECT_EQ(config.model.backbone, std::string("here/dinov2_") + size + "_pretrain.pth");
    EXPECT_EQ(config.model.aggregator, "salad");
    EXPECT_FALSE(config.model.weitop);
    EXPECT_EQ(config.loss.ms_beta, 50);
    EXPECT_EQ(config.optimiser.lr, 6e-5);
    EXPECT_EQ(config.model.dropout, 0.3);
    EXPECT_EQ(config.infer_size(), (Size{322, 322}));
    EXPECT_FALSE(config.validation.on_town());
  }
}

TEST(Presets, TheTinyOneNeedsNothingFromDisk) {
  const auto config = preset("weiad-tiny");
  EXPECT_TRUE(config.model.backbone.empty());
  EXPECT_TRUE(config.validation.queries.empty());
  for (const auto& source : config.data.sources) EXPECT_EQ(source.kind, TrainSource::Kind::kTown);
}

TEST(Presets, AnUnknownNameGetsTheList) {
  try {
    train_preset("weiad-vitb");
    FAIL() << "there is no such preset";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_STREQ(error.what(), "there is no preset 'weiad-vitb' - did you mean 'weiad-vitb14'?");
    EXPECT_EQ(error.hint(),
              "presets: weiad-tiny, weiad-vits14, weiad-vitb14, weiad-vitl14, salad-vits14, salad-vitb14, salad-vitl14");
  }
}

}  // namespace
}  // namespace revisit

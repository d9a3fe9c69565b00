// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Names of architectures, inference from shapes, tiers.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "engine/model/backbone_family.h"
#include "engine/model/model_file.h"
#include "revisit/error.h"

namespace revisit::model {
namespace {

Shapes shapes_of_arch(const std::string& name) {
  Config config;
  config.vit() = *known_arch(name);
  config.vit().pos_rows = config.vit().pos_cols = 37;
  return required_tensors(config);
}

TEST(Architecture, EveryKnownOneIsFoundAgainFromItsShapes) {
  for (const auto& name : known_arch_names()) {
    const Config config = infer_config(backbone_family("vit"), shapes_of_arch(name), {}, {}, "f");
    EXPECT_EQ(config.vit().arch, name);
    EXPECT_EQ(config.vit().pos_rows, 37);
    EXPECT_EQ(config.head.kind, kNoHead);
    EXPECT_FALSE(config.own.prune);
  }
}

TEST(Architecture, OtherHeadsOrDepthMakeItAPlainVit) {
  EXPECT_EQ(infer_config(backbone_family("vit"), shapes_of_arch("dinov2_vits14"), 12, {}, "f").vit().arch, "vit");
  auto shapes = shapes_of_arch("dinov2_vits14");
  std::erase_if(shapes, [](const auto& entry) { return entry.first.starts_with("backbone.model.blocks.11."); });
  const Config config = infer_config(backbone_family("vit"), shapes, {}, {}, "f");
  EXPECT_EQ(config.vit().arch, "vit");
  EXPECT_EQ(config.vit().depth, 11);
}

TEST(Architecture, HeadsMustDivideTheWidth) {
  EXPECT_THROW(infer_config(backbone_family("vit"), shapes_of_arch("dinov2_vits14"), 7, {}, "f"), Error);
  EXPECT_THROW(infer_config(backbone_family("vit"), shapes_of_arch("dinov2_vits14"), 0, {}, "f"), Error);
}

TEST(Architecture, ATableThatIsNotSquareNeedsTheSize) {
  auto shapes = shapes_of_arch("dinov2_vits14");
  shapes["backbone.model.pos_embed"] = {1, 1 + 16 * 23, 384};
  EXPECT_THROW(infer_config(backbone_family("vit"), shapes, {}, {}, "f"), Error);
  EXPECT_THROW(infer_config(backbone_family("vit"), shapes, {}, Size{322, 322}, "f"), Error);
  const Config config = infer_config(backbone_family("vit"), shapes, {}, Size{224, 322}, "f");
  EXPECT_EQ(config.vit().pos_rows, 16);
  EXPECT_EQ(config.vit().pos_cols, 23);
}

TEST(Architecture, AHeadIsReadOffItsShapes) {
  const Config made = named_config("vits14");
  const Config config = infer_config(backbone_family("vit"), required_tensors(made), {}, {}, "f");
  EXPECT_EQ(config.head.kind, kWeiad);
  EXPECT_EQ(config.head.descriptor_dim(), 8448);
  EXPECT_EQ(config.head.transport().hidden, 512);
  EXPECT_EQ(config.head.transport().tiers, (std::vector<int>{24, 20, 16, 4}));
  EXPECT_TRUE(config.has_weitop());
  EXPECT_EQ(config.weitop_hidden, 256);
}

TEST(Tiers, KeepThePaperSharesAndAlwaysSumToTheClusters) {
  EXPECT_EQ(default_tiers(64, 4), (std::vector<int>{24, 20, 16, 4}));
  EXPECT_EQ(default_tiers(128, 4), (std::vector<int>{48, 40, 32, 8}));
  for (int clusters = 1; clusters <= 200; ++clusters) {
    for (int tiers = 1; tiers <= std::min(clusters, 9); ++tiers) {
      const auto sizes = default_tiers(clusters, tiers);
      ASSERT_EQ(sizes.size(), static_cast<std::size_t>(tiers));
      ASSERT_EQ(std::accumulate(sizes.begin(), sizes.end(), 0), clusters) << clusters << " in " << tiers;
      ASSERT_GE(*std::ranges::min_element(sizes), 1);
    }
  }
}

}  // namespace
}  // namespace revisit::model

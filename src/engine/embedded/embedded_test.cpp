// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The built-in model is complete and describes itself.
#include "revisit/embedded.h"

#include <gtest/gtest.h>

#include "engine/model/config.h"

namespace revisit {
namespace {

TEST(EmbeddedModel, IsATrainedModelWithAllItsParts) {
  const ModelInfo info = embedded_model().info();
  EXPECT_EQ(info.aggregator, "weiad");
  EXPECT_EQ(info.own.prune, "weitop");
  EXPECT_EQ(info.size, (Size{224, 224}));
  ASSERT_TRUE(info.min_similarity) << "scripts/calibrate-tiny.sh was not run";
  EXPECT_GT(*info.min_similarity, 0);
  EXPECT_LT(*info.min_similarity, 1);
  EXPECT_EQ(info.calibrated_size, info.size);
  EXPECT_NE(info.licence.find("models/LICENSE"), std::string::npos) << info.licence;
  EXPECT_NE(info.provenance.find("revisit-tiny"), std::string::npos) << info.provenance;
}

TEST(EmbeddedModel, IsLoadedOnce) { EXPECT_EQ(&embedded_model().loaded(), &embedded_model().loaded()); }

}  // namespace
}  // namespace revisit

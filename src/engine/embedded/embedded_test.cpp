// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The built-in model is complete and describes itself.
#include "revisit/embedded.h"

#include <gtest/gtest.h>

#include "engine/model/config.h"
#include "revisit/error.h"

namespace revisit {
namespace {

TEST(EmbeddedModel, IsATrainedModelWithAllItsParts) {
  const ModelInfo info = embedded_model().info();
  EXPECT_EQ(info.aggregator, "weiad");
  EXPECT_EQ(info.own.prune, "weitop");
  EXPECT_EQ(info.size, (Size{224, 224}));
  ASSERT_TRUE(info.min_similarity) << "scripts/calibrate.sh was not run";
  EXPECT_GT(*info.min_similarity, 0);
  EXPECT_LT(*info.min_similarity, 1);
  EXPECT_EQ(info.calibrated_size, info.size);
  EXPECT_NE(info.licence.find("models/LICENSE"), std::string::npos) << info.licence;
  EXPECT_NE(info.provenance.find("revisit-tiny"), std::string::npos) << info.provenance;
}

TEST(InstalledModels, ThoseOfTheSourceServeProgramsOfTheBuildFolder) {
  const auto tiny = installed_model(kEmbeddedModel);
  ASSERT_TRUE(tiny) << "models/ of the source has it";
  EXPECT_EQ(tiny->parent_path(), installed_models());
  EXPECT_FALSE(installed_model("../" + std::string(kEmbeddedModel)));
  EXPECT_FALSE(installed_model(""));
  EXPECT_EQ(&find_model(kEmbeddedModel).loaded(), &embedded_model().loaded()) << "the one built in comes first";
  EXPECT_EQ(default_model_name(), installed_model(kPreferredModel) ? kPreferredModel : kEmbeddedModel);
  EXPECT_EQ(default_model().info().source, default_model_name());
}

TEST(InstalledModels, AnUnknownNameIsToldWhatThereIs) {
  try {
    find_model("revisit-huge");
    FAIL() << "there is no such model";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
    EXPECT_NE(std::string(error.what()).find("there is no model 'revisit-huge', only revisit-tiny, demo"), std::string::npos)
        << error.what();
  }
}

TEST(EmbeddedModel, IsLoadedOnce) { EXPECT_EQ(&embedded_model().loaded(), &embedded_model().loaded()); }

}  // namespace
}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Words of enums.
#include "engine/model/config.h"

#include <gtest/gtest.h>

#include "revisit/error.h"

namespace revisit::model {
namespace {

TEST(ConfigWords, EveryEnumValueReadsBackFromItsWord) {
  for (const auto rule : {PosRule::kHub, PosRule::kHubAntialias, PosRule::kHf, PosRule::kTimm}) {
    EXPECT_EQ(pos_rule_from(name_of(rule)), rule);
  }
  for (const auto norm : {ClusterNorm::kWeightAfter, ClusterNorm::kSalad, ClusterNorm::kNone}) {
    EXPECT_EQ(cluster_norm_from(name_of(norm)), norm);
  }
  for (const auto filter : {ResizeFilter::kBilinear, ResizeFilter::kBicubic})
    EXPECT_EQ(resize_filter_from(name_of(filter)), filter);
}

TEST(ConfigWords, AnUnknownWordIsRefusedWithTheKnownOnes) {
  try {
    pos_rule_from("hubb");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadModel);
    EXPECT_STREQ(error.what(), "'hubb' is not a position rule; known are hub, hub-antialias, hf, timm");
  }
}

}  // namespace
}  // namespace revisit::model

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Every pruner in the whole pipeline, in every precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "engine/model/model_file.h"
#include "revisit/error.h"
#include "revisit/extractor.h"

namespace revisit {
namespace {

constexpr const char* kPruners[] = {"weitop", "random", "norm", "fastv", "evit", "tome", "tofu", "dynamicvit"};

/// The demo model, with predictors of DynamicViT as well.
const Model& with_predictors() {
  static const Model model = [] {
    auto config = model::named_config("demo");
    config.predictors = 3;
    return Model(model::make_random(config, 3));
  }();
  return model;
}

Image speckled(unsigned seed) {
  Image image{80, 60, std::vector<std::uint8_t>(3 * 80 * 60)};
  std::mt19937 random(seed);
  for (auto& v : image.rgb) v = static_cast<std::uint8_t>(random() >> 24);
  return image;
}

DescriptorSpec small(const char* prune, double rho, const char* precision = "f32") {
  return {.rho = rho, .size = Size{98, 126}, .prune = prune, .precision = precision};  // 7 x 9 patches
}

double cosine_of(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

TEST(Pruners, GiveUnitVectorsAndTheSameBytesOnAnyNumberOfThreads) {
  for (const char* prune : kPruners) {
    for (const char* precision : {"f32", "bf16", "int8"}) {
      for (const double rho : {0.9, 0.5, 0.1, 0.02}) {
        const auto spec = small(prune, rho, precision);
        Extractor one(with_predictors(), spec, 1), three(with_predictors(), spec, 3);
        for (unsigned picture = 0; picture < 2; ++picture) {
          const auto descriptor = one.describe(speckled(picture));
          EXPECT_NEAR(cosine_of(descriptor, descriptor), 1, 1e-5) << prune << ' ' << precision << ' ' << rho;
          EXPECT_EQ(descriptor, three.describe(speckled(picture))) << prune << ' ' << precision << ' ' << rho;
        }
      }
    }
  }
}

TEST(Pruners, LeaveWhatTheySayAndCountItsWork) {
  for (const char* prune : kPruners) {
    Extractor whole(with_predictors(), small(prune, 1), 1);
    const auto all = whole.describe(speckled(1));
    // DynamicViT's predictors cost more than they save in so small a network at first.
    double before = prune == std::string("dynamicvit") ? 1e9 : whole.gmac();
    for (const double rho : {0.9, 0.6, 0.3}) {
      Extractor part = whole.with_rho(rho);
      Trace trace;
      EXPECT_NE(part.describe(speckled(1), &trace), all) << prune;
      EXPECT_NEAR(static_cast<double>(trace.kept.size()), rho * 63, 2) << prune << ' ' << rho;
      EXPECT_LT(part.gmac(), before) << prune << ' ' << rho;
      before = part.gmac();
      const bool merges = prune == std::string("tome") || prune == std::string("tofu") || prune == std::string("evit");
      EXPECT_EQ(trace.owner.empty(), !merges) << prune;
      if (merges) {
        EXPECT_EQ(std::accumulate(trace.mass.values.begin(), trace.mass.values.end(), 0.0F), 63) << prune;
      }
    }
  }
}

TEST(Pruners, InNarrowPrecisionsAnswerNearlyAsInF32) {
  for (const char* prune : {"weitop", "fastv", "evit", "tome", "tofu", "dynamicvit"}) {
    const auto exact = Extractor(with_predictors(), small(prune, 0.6), 1).describe(speckled(5));
    for (const char* precision : {"bf16", "int8"}) {
      const auto narrow = Extractor(with_predictors(), small(prune, 0.6, precision), 1).describe(speckled(5));
      EXPECT_GT(cosine_of(exact, narrow), 0.97) << prune << ' ' << precision;  // another patch may be kept
    }
  }
}

TEST(Pruners, CountAMergedTokenOnceUnlessAskedOtherwise) {
  for (const char* prune : {"tome", "tofu", "evit"}) {
    auto spec = small(prune, 0.4);
    const auto once = Extractor(with_predictors(), spec, 1).describe(speckled(2));
    spec.prune_options = "by_mass=false";
    EXPECT_EQ(Extractor(with_predictors(), spec, 1).describe(speckled(2)), once) << prune;
    spec.prune_options = "by_mass=true";
    EXPECT_NE(Extractor(with_predictors(), spec, 1).describe(speckled(2)), once) << prune;
  }
}

TEST(Pruners, SayWhatRhoBecame) {
  const auto notices = [](const DescriptorSpec& spec) { return Extractor(with_predictors(), spec, 1).notices(); };
  EXPECT_EQ(notices(small("tome", 0.5)),
            std::vector<std::string>{"tome merges r = 8 patches in each block: 31 of 63 patches are left (0.492)"});
  EXPECT_TRUE(notices(small("tome", 1)).empty());
  EXPECT_TRUE(notices(small("weitop", 0.5)).empty());
}

TEST(Pruners, RefuseMoreMergesThanThePictureHasPatchesFor) {
  auto spec = small("tome", 1);
  spec.prune_options = "r=31";
  Extractor extractor(with_predictors(), spec, 1);
  EXPECT_NO_THROW(extractor.describe(speckled(1)));
  const std::vector<float> pixels(3 * 28 * 28, 0.1F);
  try {
    extractor.describe_tensor(pixels, {28, 28});
    ADD_FAILURE() << "four patches";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "tome cannot merge r = 31 of 4 patches in a block: at most 2");
  }
  spec.prune_options = "r=32";
  EXPECT_THROW(Extractor(with_predictors(), spec, 1), Error);
}

}  // namespace
}  // namespace revisit

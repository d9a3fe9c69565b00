// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Every operation of RandAugment against pictures recorded from torchvision.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "training/augment/rand_augment.h"
#include "golden.h"

namespace revisit::augment {
namespace {

using testing::GoldenCase;

const std::map<std::string, Operation> kNames = {
    {"Identity", Operation::kIdentity},         {"ShearX", Operation::kShearX},         {"ShearY", Operation::kShearY},
    {"TranslateX", Operation::kTranslateX},     {"TranslateY", Operation::kTranslateY}, {"Rotate", Operation::kRotate},
    {"Brightness", Operation::kBrightness},     {"Color", Operation::kColor},           {"Contrast", Operation::kContrast},
    {"Sharpness", Operation::kSharpness},       {"Posterize", Operation::kPosterize},   {"Solarize", Operation::kSolarize},
    {"AutoContrast", Operation::kAutoContrast}, {"Equalize", Operation::kEqualize}};

std::vector<std::uint8_t> bytes_of(const NpyArray& array) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(array.data.data());
  return {data, data + array.data.size()};
}

TEST(AugmentGolden, EveryOperationIsTorchvisionsToTheByte) {
  REVISIT_REQUIRE_SHARED("golden/randaugment_ops");
  const GoldenCase golden("randaugment_ops");
  const NpyArray source = golden.tensor("image");
  const Image photo{static_cast<int>(source.shape[1]), static_cast<int>(source.shape[0]), bytes_of(source)};
  int compared = 0;
  for (const auto& [name, tensor] : golden.json()["tensors"].items()) {
    if (name == "image") continue;
    const NpyArray want = golden.tensor(name);
    const Operation operation = kNames.at(name.substr(0, name.find('_')));
    Image image = photo;
    if (name.ends_with("_constant")) {
      image = {static_cast<int>(want.shape[1]), static_cast<int>(want.shape[0]), {}};
      image.rgb.assign(want.data.size(), 77);
    }
    EXPECT_EQ(apply(operation, image, tensor.value("magnitude", 0.0)).rgb, bytes_of(want)) << name;
    ++compared;
    // The levels mean what torchvision takes them for.
    const auto level = name.find("_m9") != std::string::npos ? 9 : name.find("_m15") != std::string::npos ? 15 : -1;
    if (level < 0) continue;
    const double magnitude = magnitude_of(operation, level, {image.height, image.width});
    EXPECT_NEAR(magnitude, std::abs(tensor["magnitude"].get<double>()), 1e-5 * (1 + magnitude)) << name;
  }
  EXPECT_EQ(compared, 45);
}

TEST(AugmentGolden, TheSameSeedGivesTheSamePicture) {
  Image image{40, 30, {}};
  for (int i = 0; i < 40 * 30 * 3; ++i) image.rgb.push_back(static_cast<std::uint8_t>(i * 7 + i / 90));
  int changed = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SplitMix one(seed), two(seed);
    const Image first = rand_augment(image, 3, 9, one);
    EXPECT_EQ(first.rgb, rand_augment(image, 3, 9, two).rgb);
    EXPECT_EQ(first.rgb.size(), image.rgb.size());
    changed += first.rgb != image.rgb ? 1 : 0;
  }
  EXPECT_GT(changed, 15);
}

}  // namespace
}  // namespace revisit::augment

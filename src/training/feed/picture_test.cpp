// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/feed/picture.h"

#include <gtest/gtest.h>

#include "training/augment/light.h"
#include "training/augment/rand_augment.h"
#include "training/augment/viewpoint.h"
#include "training/feed/test_places.h"
#include "revisit/lab/synth.h"

namespace revisit::feed {
namespace {

constexpr Size kSize{48, 64};
const TrainAugment kUnchanged{.rand_augment = 0};

const Image& scene() {
  static const Image kScene = render_place(3, 1, {}, {}, {90, 120});
  return kScene;
}

Image changed(const TrainAugment& augment, std::uint64_t seed, const PictureOptions& options = {}) {
  SplitMix random(seed);
  return augment_for_training(scene(), augment, options, kSize, random);
}

TEST(Picture, WithoutChangesItIsPillowsBilinearResize) {
  EXPECT_EQ(changed(kUnchanged, 1).rgb, resize(scene(), kSize, ResizeFilter::kBilinear).rgb);
}

TEST(Picture, WithRandAugmentAloneItIsResizeThenRandAugment) {
  TrainAugment augment = kUnchanged;
  augment.rand_augment = 3;
  SplitMix random(4);
  for (int i = 0; i < 3; ++i) random.next();  // the branches of viewpoint, night and light
  SplitMix branch(random.next());
  const Image resized = resize(scene(), kSize, ResizeFilter::kBilinear);
  EXPECT_EQ(changed(augment, 4).rgb, augment::rand_augment(resized, 3, 9, branch).rgb);
}

TEST(Picture, EveryChangeHappensAloneKeepsTheSizeAndCanBeRepeated) {
  const Image plain = changed(kUnchanged, 1);
  for (const TrainAugment& augment :
       {TrainAugment{.rand_augment = 0, .crop = 1}, TrainAugment{.rand_augment = 0, .perspective = 1},
        TrainAugment{.rand_augment = 0, .light = 1}, TrainAugment{.rand_augment = 0, .night = 1},
        TrainAugment{.rand_augment = 5}}) {
    const Image one = changed(augment, 1);
    EXPECT_EQ(one.width, kSize.width);
    EXPECT_EQ(one.height, kSize.height);
    EXPECT_NE(one.rgb, plain.rgb);
    EXPECT_EQ(one.rgb, changed(augment, 1).rgb);
    EXPECT_NE(one.rgb, changed(augment, 2).rgb);
  }
}

TEST(Picture, AProbabilityIsTheShareOfPicturesChanged) {
  const Image plain = changed(kUnchanged, 1);
  TrainAugment augment = kUnchanged;
  augment.light = 0.3;
  int count = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) count += changed(augment, seed).rgb != plain.rgb ? 1 : 0;
  EXPECT_NEAR(count, 90, 30);
}

TEST(Picture, AnAlignedPictureAlwaysMoves) {
  const Image plain = changed(kUnchanged, 1);
  TrainAugment still = kUnchanged;
  still.crop_min_area = 1;
  still.perspective_strength = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    ASSERT_EQ(changed(still, seed).rgb, plain.rgb);
    const Image one = changed(still, seed, {.aligned = true});
    ASSERT_NE(one.rgb, plain.rgb) << seed;
    ASSERT_NE(one.rgb, changed(still, seed + 1000, {.aligned = true}).rgb) << "both of a pair move, differently";
  }
}

TEST(Picture, AMirroredPictureIsTheMirroredPicture) {
  EXPECT_EQ(changed(kUnchanged, 1, {.mirrored = true}).rgb, augment::mirrored(changed(kUnchanged, 1)).rgb);
}

TEST(Picture, OneChangeDoesNotChangeAnother) {
  TrainAugment crop = kUnchanged;
  crop.crop = 1;
  TrainAugment both = crop;
  both.light = 1;
  SplitMix random(9);
  for (int i = 0; i < 2; ++i) random.next();  // the branches of viewpoint and night
  SplitMix branch(random.next());
  branch.uniform();  // whether
  EXPECT_EQ(changed(both, 9).rgb, augment::relit(changed(crop, 9), augment::random_light(branch)).rgb);
}

TEST(Picture, ADarkPictureIsNotDarkenedAgain) {
  TrainAugment night = kUnchanged;
  night.night = 1;
  Image dark{64, 48, std::vector<std::uint8_t>(3 * 64 * 48, 12)}, bright = dark;
  std::ranges::fill(bright.rgb, std::uint8_t{150});
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SplitMix one(seed), other(seed);
    const auto plain = [](const Image& image) { return resize(image, kSize, ResizeFilter::kBilinear).rgb; };
    EXPECT_EQ(augment_for_training(dark, night, {}, kSize, one).rgb, plain(dark)) << seed;
    EXPECT_NE(augment_for_training(bright, night, {}, kSize, other).rgb, plain(bright)) << seed;
  }
}

TEST(Picture, APhotoIsLoadedAndChanged) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("photo.jpg", testing::jpeg_of(77, 100, 80));
  SplitMix random(1);
  EXPECT_EQ(load_for_training(file, kUnchanged, kSize, random).rgb, resize(load_image(file), kSize, ResizeFilter::kBilinear).rgb);
  TrainAugment flip = kUnchanged;
  flip.flip = 1;
  EXPECT_EQ(load_for_training(file, flip, kSize, random).rgb,
            augment::mirrored(resize(load_image(file), kSize, ResizeFilter::kBilinear)).rgb);
  testing::expect_error([&] { load_for_training(folder / "no.jpg", kUnchanged, kSize, random); }, ErrorCode::kNotFound, "no.jpg");
}

}  // namespace
}  // namespace revisit::feed

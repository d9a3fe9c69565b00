// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The changes follow the physical order: where the camera stands, what light there is, how the camera records it.
#include "training/feed/picture.h"

#include <algorithm>
#include <cmath>

#include "training/augment/light.h"
#include "training/augment/night.h"
#include "training/augment/rand_augment.h"
#include "training/augment/viewpoint.h"

namespace revisit::feed {
namespace {

// An aligned picture moves by at least this much, whatever the configuration says.
constexpr double kAlignedMaxArea = 0.8;
constexpr double kAlignedStrength = 0.05;

bool happens(double probability, SplitMix& random) { return random.uniform() < probability; }

Image seen_from_elsewhere(const Image& image, const TrainAugment& augment, bool aligned, Size size, SplitMix& random) {
  const bool crops = happens(augment.crop, random) || aligned;
  const bool tilts = happens(augment.perspective, random) || aligned;
  const double min_area = aligned ? std::min(augment.crop_min_area, kAlignedMaxArea) : augment.crop_min_area;
  const double strength = aligned ? std::max(augment.perspective_strength, kAlignedStrength) : augment.perspective_strength;
  const augment::PixelBox box = augment::random_box({image.height, image.width}, min_area, random);
  const Image part = crops ? augment::cut_out(image, box) : Image();
  const Image& seen = crops ? part : image;
  if (!tilts) return resize(seen, size, ResizeFilter::kBilinear);
  // Corners lie half of `strength` inside on average: at this size the tilted part comes out about as sharp as it goes in.
  const double larger = 1 / (1 - std::min(strength, 0.5));
  const Size wide{static_cast<int>(std::ceil(size.height * larger)), static_cast<int>(std::ceil(size.width * larger))};
  const augment::Corners corners = augment::random_corners(wide, strength, random);
  return augment::warp(resize(seen, wide, ResizeFilter::kBilinear), augment::map_from_corners(corners, size), size);
}

}  // namespace

Image augment_for_training(const Image& image, const TrainAugment& augment, const PictureOptions& options, Size size,
                           SplitMix& random) {
  SplitMix of_viewpoint(random.next()), of_night(random.next()), of_light(random.next()), of_rand_augment(random.next());
  Image out = seen_from_elsewhere(image, augment, options.aligned, size, of_viewpoint);
  if (options.mirrored) out = augment::mirrored(out);
  // One of the two: a dark picture made darker, or a night with harder contrast, would be mostly black.
  if (happens(augment.night, of_night) && !augment::is_dark(out)) {
    out = augment::at_night(out, augment::random_night(of_night));
  } else if (happens(augment.light, of_light)) {
    out = augment::relit(out, augment::random_light(of_light));
  }
  if (augment.rand_augment > 0) out = augment::rand_augment(out, augment.rand_augment, augment.rand_magnitude, of_rand_augment);
  return out;
}

Image load_for_training(const std::filesystem::path& path, const TrainAugment& augment, Size size, SplitMix& random) {
  const bool mirrored = happens(augment.flip, random);
  return augment_for_training(load_image(path), augment, {.mirrored = mirrored}, size, random);
}

}  // namespace revisit::feed

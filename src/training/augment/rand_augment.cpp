// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The meaning of each level, and the function that applies it.
#include "training/augment/rand_augment.h"

#include <cmath>
#include <numbers>

#include "training/augment/colour.h"
#include "training/augment/warp.h"

namespace revisit::augment {
namespace {

Size size_of(const Image& image) { return {image.height, image.width}; }

Image move(const Image& image, const Map& map) { return warp(image, map, size_of(image)); }

// Turned about the middle, against the clock for positive degrees.
Image rotate(const Image& image, double degrees) {
  const double angle = -degrees * std::numbers::pi / 180;
  const double c = std::cos(angle), s = std::sin(angle), x = image.width / 2.0, y = image.height / 2.0;
  return move(image, affine_map(c, s, x - c * x - s * y, -s, c, y + s * x - c * y));
}

}  // namespace

double magnitude_of(Operation operation, int level, Size size) {
  const double share = static_cast<double>(level) / (kMagnitudes - 1);
  switch (operation) {
    case Operation::kShearX:
    case Operation::kShearY: return 0.3 * share;
    case Operation::kTranslateX: return 150.0 / 331.0 * size.width * share;
    case Operation::kTranslateY: return 150.0 / 331.0 * size.height * share;
    case Operation::kRotate: return 30 * share;
    case Operation::kBrightness:
    case Operation::kColor:
    case Operation::kContrast:
    case Operation::kSharpness: return 0.9 * share;
    case Operation::kPosterize: return 8 - std::nearbyint(4 * share);  // ties go to the even number
    case Operation::kSolarize: return 255 * (1 - share);
    case Operation::kIdentity:
    case Operation::kAutoContrast:
    case Operation::kEqualize: break;
  }
  return 0;
}

bool is_signed(Operation operation) { return operation >= Operation::kShearX && operation <= Operation::kSharpness; }

Image apply(Operation operation, const Image& image, double magnitude) {
  switch (operation) {
    case Operation::kIdentity: break;
    case Operation::kShearX: return move(image, affine_map(1, magnitude, 0, 0, 1, 0));
    case Operation::kShearY: return move(image, affine_map(1, 0, 0, magnitude, 1, 0));
    case Operation::kTranslateX: return move(image, affine_map(1, 0, -std::trunc(magnitude), 0, 1, 0));
    case Operation::kTranslateY: return move(image, affine_map(1, 0, 0, 0, 1, -std::trunc(magnitude)));
    case Operation::kRotate: return rotate(image, magnitude);
    case Operation::kBrightness: return brightness(image, 1 + magnitude);
    case Operation::kColor: return colour(image, 1 + magnitude);
    case Operation::kContrast: return contrast(image, 1 + magnitude);
    case Operation::kSharpness: return sharpness(image, 1 + magnitude);
    case Operation::kPosterize: return posterize(image, static_cast<int>(magnitude));
    case Operation::kSolarize: return solarize(image, magnitude);
    case Operation::kAutoContrast: return auto_contrast(image);
    case Operation::kEqualize: return equalize(image);
  }
  return image;
}

Image rand_augment(const Image& image, int count, int level, SplitMix& random) {
  Image out = image;
  for (int i = 0; i < count; ++i) {
    const auto operation = static_cast<Operation>(random.below(kOperations));
    double magnitude = magnitude_of(operation, level, size_of(image));
    if (is_signed(operation) && random.below(2) == 1) magnitude = -magnitude;
    out = apply(operation, out, magnitude);
  }
  return out;
}

}  // namespace revisit::augment

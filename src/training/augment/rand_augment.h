// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// RandAugment on 8-bit pictures: fourteen operations, equal to torchvision's on Pillow pictures byte for byte.
#pragma once

#include <string>
#include <vector>

#include "core/base/random.h"
#include "revisit/image.h"

namespace revisit::augment {

enum class Operation {
  kIdentity,
  kShearX,
  kShearY,
  kTranslateX,
  kTranslateY,
  kRotate,
  kBrightness,
  kColor,
  kContrast,
  kSharpness,
  kPosterize,
  kSolarize,
  kAutoContrast,
  kEqualize,
};

inline constexpr int kOperations = 14;
inline constexpr int kMagnitudes = 31;  ///< 0..30

/// The meaning of a level of 0..30 for an operation on a picture of this size: a slope, pixels, degrees, a change of factor, bits
/// or a threshold. Positive; whether the sign may be turned is is_signed().
double magnitude_of(Operation operation, int level, Size size);
bool is_signed(Operation operation);

/// Where the picture moves, the exposed edge is black.
Image apply(Operation operation, const Image& image, double magnitude);

/// `count` operations, each drawn separately; signs are flipped with probability one half.
Image rand_augment(const Image& image, int count, int level, SplitMix& random);

}  // namespace revisit::augment

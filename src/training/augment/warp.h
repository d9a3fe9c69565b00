// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Moving a picture: each pixel looked up where the inverse map says, bilinear, black outside, as Pillow does it.
#pragma once

#include <array>

#include "revisit/image.h"

namespace revisit::augment {

/// x' = (a x + b y + c) / (g x + h y + 1), y' = (d x + e y + f) / (g x + h y + 1), from the result to the source, in pixels whose
/// centres lie at one half.
using Map = std::array<double, 8>;

Map affine_map(double a, double b, double c, double d, double e, double f);

/// The result has `size`.
Image warp(const Image& image, const Map& map, Size size);

}  // namespace revisit::augment

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The same scene from elsewhere: cropped, mirrored, tilted. Only the inside of the picture is sampled, so there is no black edge.
#pragma once

#include <array>

#include "training/augment/warp.h"
#include "core/base/random.h"
#include "revisit/image.h"

namespace revisit::augment {

struct PixelBox {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  bool operator==(const PixelBox&) const = default;
};

/// A box of `min_area` to 1 of a picture's area, its shape up to 4/3 wider or narrower than the picture's, anywhere inside.
PixelBox random_box(Size picture, double min_area, SplitMix& random);

/// Throws Error kUsage for a box that is empty or leaves the picture.
Image cut_out(const Image& image, const PixelBox& box);

Image mirrored(const Image& image);  ///< left and right exchanged

struct Point {
  double x = 0;  ///< in pixels, 0 at the picture's edge
  double y = 0;
};
using Corners = std::array<Point, 4>;  ///< top left, top right, bottom right, bottom left

/// Where a tilted camera's corners lie in a picture: each moved inwards by up to `strength` of both sides, 0..1/3 (larger
/// values count as 1/3: beyond that the four are not always convex).
Corners random_corners(Size picture, double strength, SplitMix& random);

/// The map under which the corners of a result of `size` are looked up at `corners`. They must be convex.
Map map_from_corners(const Corners& corners, Size size);

}  // namespace revisit::augment

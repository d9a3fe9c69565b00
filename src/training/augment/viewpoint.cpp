// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Boxes, mirrors, and the projective map between a rectangle and four points.
#include "training/augment/viewpoint.h"

#include <algorithm>
#include <cmath>

#include "training/augment/draw.h"
#include "core/base/fail.h"

namespace revisit::augment {
namespace {

constexpr double kMostShape = 4.0 / 3;  // of a box, against the picture's
// A corner moved by a share s both ways touches the diagonal of its neighbours, moved by s towards it, at 2 s = 1 - s.
constexpr double kMostShift = 1.0 / 3;

int side_of(double share, int whole) { return std::clamp(static_cast<int>(std::lround(share * whole)), 1, whole); }

}  // namespace

PixelBox random_box(Size picture, double min_area, SplitMix& random) {
  const double area = between(std::clamp(min_area, 0.0, 1.0), 1, random);
  const double shape = std::exp(between(-std::log(kMostShape), std::log(kMostShape), random));
  PixelBox box;
  // A box wider or taller than the picture is cut to it and gets its area from the other side.
  const double wide = std::clamp(std::sqrt(area * shape), area, 1.0);
  box.width = side_of(wide, picture.width);
  box.height = side_of(area / wide, picture.height);
  const auto anywhere = [&](int room) { return static_cast<int>(random.below(static_cast<std::uint64_t>(room) + 1)); };
  box.left = anywhere(picture.width - box.width);
  box.top = anywhere(picture.height - box.height);
  return box;
}

Image cut_out(const Image& image, const PixelBox& box) {
  if (box.width < 1 || box.height < 1 || box.left < 0 || box.top < 0 || box.left > image.width - box.width ||
      box.top > image.height - box.height) {
    fail(ErrorCode::kUsage, "a box of {}x{} pixels at ({}, {}) does not lie in a picture of {}x{} (HxW)", box.height, box.width,
         box.left, box.top, image.height, image.width);
  }
  const std::size_t stride = std::size_t{3} * static_cast<std::size_t>(image.width);
  const std::size_t row = std::size_t{3} * static_cast<std::size_t>(box.width);
  Image out{box.width, box.height, std::vector<std::uint8_t>(row * static_cast<std::size_t>(box.height))};
  const std::uint8_t* from =
      image.rgb.data() + stride * static_cast<std::size_t>(box.top) + std::size_t{3} * static_cast<std::size_t>(box.left);
  for (std::uint8_t* to = out.rgb.data(); to != out.rgb.data() + out.rgb.size(); to += row, from += stride) {
    std::copy_n(from, row, to);
  }
  return out;
}

Image mirrored(const Image& image) {
  Image out = image;
  const std::size_t width = static_cast<std::size_t>(image.width), stride = 3 * width;
  for (std::size_t y = 0; y < static_cast<std::size_t>(image.height); ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      std::copy_n(&image.rgb[y * stride + 3 * (width - 1 - x)], 3, &out.rgb[y * stride + 3 * x]);
    }
  }
  return out;
}

Corners random_corners(Size picture, double strength, SplitMix& random) {
  const double width = picture.width, height = picture.height, most = std::clamp(strength, 0.0, kMostShift);
  Corners out{Point{0, 0}, Point{width, 0}, Point{width, height}, Point{0, height}};
  for (Point& corner : out) {
    const double x = most * width * random.uniform();
    const double y = most * height * random.uniform();
    corner.x += corner.x > 0 ? -x : x;
    corner.y += corner.y > 0 ? -y : y;
  }
  return out;
}

Map map_from_corners(const Corners& corners, Size size) {
  // First from the unit square, whose corners are (0,0), (1,0), (1,1), (0,1); then its sides are stretched to `size`.
  const auto& [p0, p1, p2, p3] = corners;
  const double bend_x = p0.x - p1.x + p2.x - p3.x, bend_y = p0.y - p1.y + p2.y - p3.y;
  const double x1 = p1.x - p2.x, x2 = p3.x - p2.x, y1 = p1.y - p2.y, y2 = p3.y - p2.y;
  const double area = x1 * y2 - x2 * y1;
  const double g = (bend_x * y2 - x2 * bend_y) / area, h = (x1 * bend_y - bend_x * y1) / area;
  const double w = size.width, t = size.height;
  return {(p1.x - p0.x + g * p1.x) / w,
          (p3.x - p0.x + h * p3.x) / t,
          p0.x,
          (p1.y - p0.y + g * p1.y) / w,
          (p3.y - p0.y + h * p3.y) / t,
          p0.y,
          g / w,
          h / t};
}

}  // namespace revisit::augment

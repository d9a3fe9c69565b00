// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Bilinear look-up in double precision, cut to 8 bits at the end.
#include "training/augment/warp.h"

#include <algorithm>
#include <cmath>

namespace revisit::augment {
namespace {

double blend(double a, double b, double share) { return a + (b - a) * share; }

// False outside of the picture.
bool look_up(const Image& image, double x, double y, std::uint8_t* out) {
  if (!(x >= 0 && x < image.width && y >= 0 && y < image.height)) return false;
  x -= 0.5;
  y -= 0.5;
  const double left = std::floor(x), top = std::floor(y);
  const double dx = x - left, dy = y - top;
  const auto column = [&](double at) { return static_cast<std::size_t>(std::clamp(static_cast<int>(at), 0, image.width - 1)); };
  const auto row = [&](double at) { return static_cast<std::size_t>(std::clamp(static_cast<int>(at), 0, image.height - 1)); };
  const std::size_t stride = 3 * static_cast<std::size_t>(image.width);
  const std::uint8_t* upper = image.rgb.data() + row(top) * stride;
  const std::uint8_t* lower = image.rgb.data() + row(top + 1) * stride;
  const std::size_t x0 = 3 * column(left), x1 = 3 * column(left + 1);
  for (std::size_t c = 0; c < 3; ++c) {
    const double above = blend(upper[x0 + c], upper[x1 + c], dx);
    const double below = blend(lower[x0 + c], lower[x1 + c], dx);
    out[c] = static_cast<std::uint8_t>(blend(above, below, dy));
  }
  return true;
}

}  // namespace

Map affine_map(double a, double b, double c, double d, double e, double f) { return {a, b, c, d, e, f, 0, 0}; }

Image warp(const Image& image, const Map& map, Size size) {
  const auto& [a, b, c, d, e, f, g, h] = map;
  Image out{size.width, size.height, {}};
  out.rgb.assign(3 * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height), 0);
  std::uint8_t* pixel = out.rgb.data();
  for (int row = 0; row < size.height; ++row) {
    const double y = row + 0.5;
    for (int column = 0; column < size.width; ++column, pixel += 3) {
      const double x = column + 0.5;
      const double depth = g * x + h * y + 1;
      look_up(image, (a * x + b * y + c) / depth, (d * x + e * y + f) / depth, pixel);
    }
  }
  return out;
}

}  // namespace revisit::augment

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The eight EXIF orientations as one walk: where stored pixel (0,0) goes and what a step right or down means.
#include "core/image/orient.h"

#include <algorithm>
#include <cstddef>

namespace revisit {
namespace {

constexpr int kTile = 32;  // pixels; keeps both sides of a transposition in the cache

}  // namespace

Image make_upright(Image image, int orientation) {
  if (orientation < 2 || orientation > 8) return image;
  const bool swaps = orientation >= 5;
  // In the upright picture, a stored row runs backwards for 2, 3, 7, 8 and stored rows are stacked backwards for 3, 4, 6, 7.
  const bool x_backwards = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool y_backwards = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;

  Image out;
  out.width = swaps ? image.height : image.width;
  out.height = swaps ? image.width : image.height;
  out.rgb.resize(image.rgb.size());
  const std::ptrdiff_t w = image.width;
  const std::ptrdiff_t h = image.height;
  const std::ptrdiff_t step_x = (x_backwards ? -1 : 1) * (swaps ? h : 1);  // in pixels of the upright picture
  const std::ptrdiff_t step_y = (y_backwards ? -1 : 1) * (swaps ? 1 : w);
  const std::ptrdiff_t origin = (x_backwards ? -(w - 1) * step_x : 0) + (y_backwards ? -(h - 1) * step_y : 0);

  for (std::ptrdiff_t y0 = 0; y0 < h; y0 += kTile) {
    for (std::ptrdiff_t x0 = 0; x0 < w; x0 += kTile) {
      const std::ptrdiff_t y1 = std::min(h, y0 + kTile);
      const std::ptrdiff_t x1 = std::min(w, x0 + kTile);
      for (std::ptrdiff_t y = y0; y < y1; ++y) {
        const std::uint8_t* from = image.rgb.data() + 3 * (y * w + x0);
        for (std::ptrdiff_t x = x0; x < x1; ++x, from += 3) {
          std::uint8_t* to = out.rgb.data() + 3 * (origin + x * step_x + y * step_y);
          to[0] = from[0];
          to[1] = from[1];
          to[2] = from[2];
        }
      }
    }
  }
  return out;
}

}  // namespace revisit

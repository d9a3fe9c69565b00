// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Pictures to change: a street of two houses under a blue sky, and how bright a part of a picture is.
#pragma once

#include "training/augment/viewpoint.h"
#include "core/base/random.h"
#include "revisit/image.h"

namespace revisit::testing {

/// The upper third is sky; the houses below have windows, so that there is something to see.
inline Image street(int width, int height) {
  Image out{width, height, {}};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool sky = 3 * y < height, left = 2 * x < width, window = x / 6 % 2 == 1 && y / 8 % 2 == 1;
      const auto shade = static_cast<std::uint8_t>(scatter(static_cast<std::uint64_t>(y * width + x)) % 7);
      if (sky) {
        out.rgb.insert(out.rgb.end(), {static_cast<std::uint8_t>(150 + shade), static_cast<std::uint8_t>(185 + shade), 230});
      } else if (window) {
        out.rgb.insert(out.rgb.end(), {40, 45, static_cast<std::uint8_t>(50 + shade)});
      } else {
        out.rgb.insert(out.rgb.end(), {static_cast<std::uint8_t>((left ? 170 : 130) + shade),
                                       left ? std::uint8_t{120} : std::uint8_t{125}, static_cast<std::uint8_t>(80 + shade)});
      }
    }
  }
  return out;
}

inline double mean_of(const Image& image) {
  double sum = 0;
  for (const auto value : image.rgb) sum += value;
  return sum / static_cast<double>(image.rgb.size());
}

inline double mean_of(const Image& image, const augment::PixelBox& box) { return mean_of(augment::cut_out(image, box)); }

}  // namespace revisit::testing

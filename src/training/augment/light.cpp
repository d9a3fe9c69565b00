// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One table per channel does everything except the saturation.
#include "training/augment/light.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "training/augment/colour.h"
#include "training/augment/draw.h"

namespace revisit::augment {
namespace {

constexpr double kMiddle = 0.45;

}  // namespace

Light random_light(SplitMix& random) {
  Light out;
  out.gamma = factor_between(0.6, 1.7, random);
  out.exposure = factor_between(0.6, 1.5, random);
  // Light turns between warm and cold more than between green and purple.
  const double warmth = factor_between(1 / 1.16, 1.16, random), green = factor_between(1 / 1.05, 1.05, random);
  out.cast = {warmth, green, 1 / warmth};
  out.contrast = factor_between(0.7, 1.35, random);
  out.saturation = factor_between(0.5, 1.4, random);
  return out;
}

Image relit(const Image& image, const Light& light) {
  Image out = image;
  for (std::size_t c = 0; c < 3; ++c) {
    std::array<std::uint8_t, 256> table;
    for (std::size_t i = 0; i < table.size(); ++i) {
      const double value = std::pow(static_cast<double>(i) / 255, light.gamma) * light.exposure * light.cast[c];
      const double spread = kMiddle + (value - kMiddle) * light.contrast;
      table[i] = static_cast<std::uint8_t>(std::lround(255 * std::clamp(spread, 0.0, 1.0)));
    }
    for (std::size_t i = c; i < out.rgb.size(); i += 3) out.rgb[i] = table[out.rgb[i]];
  }
  return light.saturation == 1 ? out : colour(out, light.saturation);
}

}  // namespace revisit::augment

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The picture by day stands for what surfaces reflect. It is relit in linear light, exposed, and seen through a bad lens.
#include "training/augment/night.h"

#include <algorithm>
#include <cmath>

#include "training/augment/draw.h"
#include "training/augment/sky.h"
#include "training/augment/soften.h"

namespace revisit::augment {
namespace {

constexpr double kDisplayGamma = 2.2;
constexpr double kDark = 60;     // mean brightness of 255
constexpr double kDarker = 0.6;  // a night is at least this much darker than the picture it is made of

using Colour = std::array<float, 3>;

Colour to_float(const std::array<double, 3>& colour) {
  return {static_cast<float>(colour[0]), static_cast<float>(colour[1]), static_cast<float>(colour[2])};
}

/// What the camera makes of a radiance, 0..255: bright values bend over instead of being cut, as film and sensors do it. The
/// table is dense near black, where the eye is sensitive.
float shown(float radiance) {
  static const auto kTable = [] {
    std::array<float, 4096> table;
    for (std::size_t i = 0; i < table.size(); ++i) {
      const double root = static_cast<double>(i) / static_cast<double>(table.size());
      const double value = root * root / (1 - root * root);
      table[i] = static_cast<float>(255 * std::pow(1 - std::exp(-value), 1 / kDisplayGamma));
    }
    return table;
  }();
  return kTable[static_cast<std::size_t>(std::sqrt(radiance / (1 + radiance)) * static_cast<float>(kTable.size() - 1))];
}

float luma(const float* rgb) { return 0.299F * rgb[0] + 0.587F * rgb[1] + 0.114F * rgb[2]; }

double mean_luma(const Image& image) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < image.rgb.size(); i += 3)
    sum += 299U * image.rgb[i] + 587U * image.rgb[i + 1] + 114U * image.rgb[i + 2];
  return static_cast<double>(sum) / 1000 / std::max<double>(1, static_cast<double>(image.rgb.size()) / 3);
}

/// A lamp in pixels. Its light falls down more than it rises.
struct PlacedLamp {
  PlacedLamp(const Lamp& lamp, const Image& image)
      : x(static_cast<float>(lamp.x * image.width)),
        y(static_cast<float>(lamp.y * image.height)),
        per_reach2(1 / square(std::max(1e-3, lamp.reach) * image.width)),
        per_glare2(lamp.glare > 0 ? 1 / square(lamp.glare * image.width) : 0),
        strength(static_cast<float>(lamp.strength)),
        colour(to_float(lamp.colour)) {}

  static float square(double value) { return static_cast<float>(value * value); }

  float lights(float px, float py) const {
    const float dx = px - x, dy = (py - y) * (py > y ? 0.6F : 1.5F);
    const float away = 1 + (dx * dx + dy * dy) * per_reach2;
    return strength / (away * away);
  }
  /// A core far beyond white, a halo, and a faint veil over much of the picture.
  float blinds(float px, float py) const {
    if (per_glare2 <= 0) return 0;
    const float dx = px - x, dy = py - y;
    const float away2 = (dx * dx + dy * dy) * per_glare2;
    const float core = 1 + away2, veil = 1 + away2 * 0.02F;
    return 2.5F / (core * core) + 0.03F / (veil * veil);
  }

  float x, y, per_reach2, per_glare2, strength;
  Colour colour;
};

std::vector<PlacedLamp> placed(const std::vector<Lamp>& lamps, const Image& image) {
  std::vector<PlacedLamp> out;
  out.reserve(lamps.size());
  for (const Lamp& lamp : lamps) out.emplace_back(lamp, image);
  return out;
}

/// (pixels, 3): what the scene sends towards the camera, in units of the ambient light.
std::vector<float> lit_scene(const Image& image, const Night& night, const std::vector<PlacedLamp>& lamps) {
  std::array<float, 256> reflects;
  for (std::size_t i = 0; i < reflects.size(); ++i) {
    reflects[i] = static_cast<float>(std::pow(static_cast<double>(i) / 255, kDisplayGamma * night.curve));
  }
  const std::vector<float> sky = find_sky(image);
  const Colour ambient = to_float(night.ambient), night_sky = to_float(night.sky);
  std::vector<float> out(image.rgb.size());
  std::size_t at = 0;
  for (int row = 0; row < image.height; ++row) {
    for (int column = 0; column < image.width; ++column, ++at) {
      const float x = static_cast<float>(column) + 0.5F, y = static_cast<float>(row) + 0.5F;
      Colour light = ambient;
      for (const PlacedLamp& lamp : lamps) {
        const float strength = lamp.lights(x, y);
        for (std::size_t c = 0; c < 3; ++c) light[c] += strength * lamp.colour[c];
      }
      for (std::size_t c = 0; c < 3; ++c) {
        const float house = reflects[image.rgb[3 * at + c]] * light[c];
        out[3 * at + c] = house + sky[at] * (night_sky[c] - house);
      }
    }
  }
  return out;
}

/// The factor that brings the displayed picture to a mean brightness of `level`; every 29th pixel is asked.
float exposure_for(const std::vector<float>& radiance, double level) {
  double low = std::log(1e-4), high = std::log(1e4);
  for (int step = 0; step < 16; ++step) {
    const double middle = (low + high) / 2;
    const auto gain = static_cast<float>(std::exp(middle));
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i + 2 < radiance.size(); i += 87, ++count) {
      const float* at = &radiance[i];
      const Colour pixel{shown(gain * at[0]), shown(gain * at[1]), shown(gain * at[2])};
      sum += static_cast<double>(luma(pixel.data()));
    }
    (sum > level * count ? high : low) = middle;
  }
  return static_cast<float>(std::exp((low + high) / 2));
}

void add_glare(std::vector<float>& radiance, const Image& image, const std::vector<PlacedLamp>& lamps) {
  std::size_t at = 0;
  for (int row = 0; row < image.height; ++row) {
    for (int column = 0; column < image.width; ++column, at += 3) {
      for (const PlacedLamp& lamp : lamps) {
        const float strength = lamp.blinds(static_cast<float>(column) + 0.5F, static_cast<float>(row) + 0.5F);
        for (std::size_t c = 0; c < 3; ++c) radiance[at + c] += strength * lamp.colour[c];
      }
    }
  }
}

/// Four random bytes make nearly a normal number; one draw gives two.
struct Grain {
  explicit Grain(std::uint64_t seed) : random(seed) {}
  std::array<float, 2> two() {
    std::uint64_t bits = random.next();
    std::array<float, 2> out;
    for (float& value : out) {
      int sum = 0;
      for (int i = 0; i < 4; ++i, bits >>= 8U) sum += static_cast<int>(bits & 0xFFU);
      value = (static_cast<float>(sum) - 510) / 147.8F;  // mean and standard deviation of the sum
    }
    return out;
  }
  SplitMix random;
};

/// What a camera with automatic gain hands out: the brighter of two pixels stays the brighter, but dark ones are told apart.
void amplify(Image& image, double share) {
  std::array<double, 256> curve{};
  for (std::size_t i = 0; i < image.rgb.size(); i += 3) {
    const unsigned gray = (299U * image.rgb[i] + 587U * image.rgb[i + 1] + 114U * image.rgb[i + 2] + 500U) / 1000U;
    curve[gray] += 1;
  }
  const double pixels = static_cast<double>(image.rgb.size()) / 3;
  double below = 0;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const double here = curve[i];
    curve[i] = share * 255 * (below + here / 2) / pixels + (1 - share) * static_cast<double>(i);
    below += here;
  }
  for (auto& value : image.rgb) value = static_cast<std::uint8_t>(std::clamp(curve[value] + 0.5, 0.0, 255.0));
}

}  // namespace

Night random_night(SplitMix& random) {
  using Rgb = std::array<double, 3>;
  constexpr std::array<Rgb, 4> kLampColours{{{1, 0.58, 0.2}, {1, 0.74, 0.42}, {1, 0.9, 0.72}, {0.88, 0.97, 1}}};
  constexpr std::array<Rgb, 3> kAmbients{{{0.55, 0.72, 1}, {1, 0.78, 0.52}, {0.9, 0.92, 1}}};
  constexpr std::array<Rgb, 3> kSkies{{{0.35, 0.55, 1}, {0.16, 0.42, 1}, {1, 0.8, 0.6}}};  // dull, dusk, over a town
  Night out;
  out.level = factor_between(18, 85, random);
  out.curve = between(0.85, 1.4, random);
  out.ambient = kAmbients[random.below(kAmbients.size())];
  const Rgb& sky = kSkies[random.below(kSkies.size())];
  const double sky_light = factor_between(0.002, 0.12, random);
  for (std::size_t c = 0; c < 3; ++c) out.sky[c] = sky_light * sky[c];
  const auto town = random.below(kLampColours.size());  // most lamps in a street are of one kind
  const std::uint64_t count = 1 + random.below(6);
  for (std::uint64_t i = 0; i < count; ++i) {
    Lamp lamp;
    const bool from_below = random.uniform() < 0.3;
    lamp.x = between(-0.1, 1.1, random);
    lamp.y = from_below ? between(0.5, 0.95, random) : between(0.08, 0.55, random);
    lamp.reach = factor_between(0.1, 0.5, random);
    lamp.strength = factor_between(3, 45, random);
    const bool in_view = random.uniform() < 0.65;
    const double radius = factor_between(0.007, 0.03, random);
    lamp.glare = in_view && !from_below ? radius : 0;
    const bool other = random.uniform() < 0.25;
    const auto kind = random.below(kLampColours.size());
    lamp.colour = kLampColours[other ? kind : town];
    out.lamps.push_back(lamp);
  }
  const bool lifted = random.uniform() < 0.5;
  const double lift = between(0.4, 1, random);
  out.amplified = lifted ? lift : 0;
  const bool gray = random.uniform() < (lifted ? 0.7 : 0.2);
  const double colourful = between(0.55, 1.15, random);
  out.saturation = gray ? 0 : colourful;
  const bool blurred = random.uniform() < 0.35;
  const double share = between(0.08, 0.3, random);
  out.blur = blurred ? share : 0;
  out.noise = factor_between(1.5, lifted ? 8 : gray ? 16 : 10, random);  // lifting multiplies it
  out.grain = random.next();
  return out;
}

bool is_dark(const Image& image) { return mean_luma(image) < kDark; }

Image at_night(const Image& image, const Night& night) {
  if (image.rgb.empty()) return image;
  const std::vector<PlacedLamp> lamps = placed(night.lamps, image);
  std::vector<float> radiance = lit_scene(image, night, lamps);
  const float gain = exposure_for(radiance, std::min(night.level, kDarker * mean_luma(image)));
  for (float& value : radiance) value *= gain;
  add_glare(radiance, image, lamps);
  if (night.blur > 0) {
    soften(radiance.data(), static_cast<std::size_t>(image.width), static_cast<std::size_t>(image.height), 3,
           static_cast<float>(std::min(night.blur, 0.33)));
  }

  Image out = image;
  Grain grain(night.grain);
  const auto noise = static_cast<float>(night.noise), saturation = static_cast<float>(night.saturation);
  for (std::size_t i = 0; i < out.rgb.size(); i += 3) {
    const auto [of_all, red] = grain.two();
    const auto [green, blue] = grain.two();
    const Colour own{red, green, blue}, colour{shown(radiance[i]), shown(radiance[i + 1]), shown(radiance[i + 2])};
    const float gray = luma(colour.data());
    for (std::size_t c = 0; c < 3; ++c) {
      // Most of the grain is common to the channels; the rest loses its colour with the picture.
      const float value = gray + saturation * (colour[c] - gray) + noise * (0.8F * of_all + 0.6F * saturation * own[c]);
      out.rgb[i + c] = static_cast<std::uint8_t>(std::clamp(value + 0.5F, 0.0F, 255.0F));
    }
  }
  if (night.amplified > 0) amplify(out, night.amplified);
  return out;
}

}  // namespace revisit::augment

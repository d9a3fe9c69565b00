// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Three things a ViT would otherwise have to learn first:
//  - patch embedding: cosine waves over the patch in brightness and two colour differences, each divided by how strong its
//    frequency is in photos (amplitudes fall as 1/frequency), so that edges are not drowned by the mean colour;
//  - position table: waves along both axes, a quarter of them from one patch to the whole grid long;
//  - attention: keys begin equal to queries, so a token attends to tokens like itself, in content or in place.
// Other matrices are normal with deviation 1 / sqrt(inputs), less where a block adds to its input.
#include "training/train/local_start.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "training/train/random_values.h"

namespace revisit::train {
namespace {

constexpr double kPi = std::numbers::pi;

/// One filter: a frequency of the patch in one colour axis.
struct Wave {
  int u = 0, v = 0;
  int colour = 0;
  double strength = 1;  // expected deviation of its answer on normalised photos
};

constexpr std::array<std::array<double, 3>, 3> kColours{{{0.57735, 0.57735, 0.57735},      // brightness
                                                         {0.70711, 0.0, -0.70711},         // red against blue
                                                         {0.40825, -0.81650, 0.40825}}};   // green against both

/// Strongest first: the ones a narrow network has room for.
std::vector<Wave> waves(int patch) {
  constexpr double kColourStrength = 0.15;  // of the brightness at the same frequency
  constexpr double kNoise = 0.15;           // below it there is little signal
  std::vector<Wave> out;
  for (int colour = 0; colour < 3; ++colour) {
    for (int u = 0; u < patch; ++u) {
      for (int v = 0; v < patch; ++v) {
        const double frequency = std::hypot(u, v);
        const double brightness = frequency > 0 ? 0.3 * patch / frequency : 0.9 * patch;
        out.push_back({u, v, colour, (colour == 0 ? 1.7 : kColourStrength) * brightness + kNoise});
      }
    }
  }
  std::ranges::stable_sort(out, [](const Wave& a, const Wave& b) { return a.strength > b.strength; });
  return out;
}

double cosine_wave(int frequency, int x, int size) {
  const double scale = frequency == 0 ? std::sqrt(1.0 / size) : std::sqrt(2.0 / size);
  return scale * std::cos(kPi * (x + 0.5) * frequency / size);
}

std::vector<float> patch_filters(const std::string& name, int width, int patch, std::uint64_t seed) {
  const auto area = static_cast<std::size_t>(patch * patch);
  auto out = normal_values(name, static_cast<std::size_t>(width) * 3 * area, 0.02, seed);  // of filters beyond the last wave
  const auto all = waves(patch);
  for (std::size_t f = 0; f < std::min(all.size(), static_cast<std::size_t>(width)); ++f) {
    const Wave& wave = all[f];
    float* filter = out.data() + f * 3 * area;
    for (std::size_t channel = 0; channel < 3; ++channel) {
      const double colour = kColours[static_cast<std::size_t>(wave.colour)][channel];
      for (int y = 0; y < patch; ++y) {
        for (int x = 0; x < patch; ++x) {
          filter[channel * area + static_cast<std::size_t>(y * patch + x)] =
              static_cast<float>(colour * cosine_wave(wave.u, y, patch) * cosine_wave(wave.v, x, patch) / wave.strength);
        }
      }
    }
  }
  return out;
}

/// Row 0 is CLS, which has no position.
std::vector<float> position_waves(int width, int rows, int cols) {
  std::vector<float> out(static_cast<std::size_t>(1 + rows * cols) * static_cast<std::size_t>(width), 0.0F);
  const int waves = std::max(1, width / 4);
  const double shortest = kPi / 2, longest = kPi / (2.0 * std::max(rows, cols));
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < cols; ++x) {
      float* row = out.data() + static_cast<std::size_t>(1 + y * cols + x) * static_cast<std::size_t>(width);
      for (int i = 0; i < width; ++i) {
        const double share = waves > 1 ? static_cast<double>(i / 4) / (waves - 1) : 0;
        const double angle = shortest * std::pow(longest / shortest, std::min(share, 1.0)) * (i % 2 == 0 ? y : x);
        row[i] = static_cast<float>(i % 4 < 2 ? std::sin(angle) : std::cos(angle));
      }
    }
  }
  return out;
}

/// A token meets itself with a logit of about 3: kSelf, minus the effect of truncating the normal.
std::vector<float> queries_as_keys(const std::string& name, const model::VitConfig& vit, std::uint64_t seed) {
  constexpr double kSelf = 4;
  const auto part = static_cast<std::size_t>(vit.width) * static_cast<std::size_t>(vit.width);
  const double head = static_cast<double>(vit.width) / vit.heads;
  auto out = normal_values(name, part, std::sqrt(kSelf / (std::sqrt(head) * vit.width)), seed);
  out.resize(2 * part);
  std::copy_n(out.begin(), part, out.begin() + static_cast<std::ptrdiff_t>(part));
  const auto values = normal_values(name + ".values", part, 1 / std::sqrt(static_cast<double>(vit.width)), seed);
  out.insert(out.end(), values.begin(), values.end());
  return out;
}

}  // namespace

std::vector<float> local_start(const std::string& name, const std::vector<std::int64_t>& shape, const model::VitConfig& vit,
                               std::uint64_t seed) {
  if (name.ends_with("patch_embed.proj.weight")) return patch_filters(name, vit.width, vit.patch, seed);
  if (name.ends_with("pos_embed")) return position_waves(vit.width, vit.pos_rows, vit.pos_cols);
  if (name.ends_with("attn.qkv.weight")) return queries_as_keys(name, vit, seed);
  const std::size_t count = count_of(shape);
  if (shape.size() != 2) return normal_values(name, count, 0.02, seed);
  const bool adds = name.ends_with("attn.proj.weight") || name.ends_with("fc2.weight") || name.ends_with("w3.weight");
  const double inputs = static_cast<double>(shape.at(1));
  return normal_values(name, count, 1 / std::sqrt(inputs * (adds ? 2.0 * vit.depth : 1.0)), seed);
}

}  // namespace revisit::train

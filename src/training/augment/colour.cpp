// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Tables, mixtures with a plainer picture, and histograms.
#include "training/augment/colour.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

namespace revisit::augment {
namespace {

using Table = std::array<std::uint8_t, 256>;

// In single precision and cut, not rounded: every value counts when results are compared byte for byte.
std::uint8_t mixed(std::uint8_t from, std::uint8_t to, float share) {
  const float value = static_cast<float>(from) + share * static_cast<float>(int{to} - int{from});
  return static_cast<std::uint8_t>(std::clamp(value, 0.0F, 255.0F));
}

std::uint8_t luma(const std::uint8_t* pixel) {
  return static_cast<std::uint8_t>((pixel[0] * 19595U + pixel[1] * 38470U + pixel[2] * 7471U + 0x8000U) >> 16U);
}

Image filled(const Image& image, std::uint8_t value) {
  return {image.width, image.height, std::vector<std::uint8_t>(image.rgb.size(), value)};
}

Image mix(const Image& from, const Image& to, double factor) {
  Image out = from;
  const auto share = static_cast<float>(factor);
  for (std::size_t i = 0; i < out.rgb.size(); ++i) out.rgb[i] = mixed(from.rgb[i], to.rgb[i], share);
  return out;
}

Image smoothed(const Image& image) {
  Image out = image;  // the edge stays as it is
  const auto stride = static_cast<std::ptrdiff_t>(3) * image.width;
  for (int y = 1; y + 1 < image.height; ++y) {
    for (std::ptrdiff_t i = 3; i + 3 < stride; ++i) {
      const std::uint8_t* at = image.rgb.data() + y * stride + i;
      int sum = 4 * at[0];
      for (const std::ptrdiff_t row : {-stride, std::ptrdiff_t{0}, stride}) sum += at[row - 3] + at[row] + at[row + 3];
      out.rgb[static_cast<std::size_t>(y * stride + i)] = static_cast<std::uint8_t>((2 * sum + 13) / 26);
    }
  }
  return out;
}

/// A table for each channel from its histogram.
template <typename TableOf>
Image by_histogram(const Image& image, const TableOf& table_of) {
  Image out = image;
  for (std::size_t c = 0; c < 3; ++c) {
    std::array<int, 256> histogram{};
    for (std::size_t i = c; i < image.rgb.size(); i += 3) ++histogram[image.rgb[i]];
    const Table table = table_of(histogram);
    for (std::size_t i = c; i < image.rgb.size(); i += 3) out.rgb[i] = table[image.rgb[i]];
  }
  return out;
}

Table identity() {
  Table out;
  std::iota(out.begin(), out.end(), std::uint8_t{0});
  return out;
}

}  // namespace

Image brightness(const Image& image, double factor) { return mix(filled(image, 0), image, factor); }

Image colour(const Image& image, double factor) {
  Image gray = image;
  for (std::size_t i = 0; i < image.rgb.size(); i += 3) std::fill_n(&gray.rgb[i], 3, luma(&image.rgb[i]));
  return mix(gray, image, factor);
}

Image contrast(const Image& image, double factor) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < image.rgb.size(); i += 3) sum += luma(&image.rgb[i]);
  const auto mean = static_cast<std::uint8_t>(static_cast<double>(sum) / static_cast<double>(image.rgb.size() / 3) + 0.5);
  return mix(filled(image, mean), image, factor);
}

Image sharpness(const Image& image, double factor) { return mix(smoothed(image), image, factor); }

Image posterize(const Image& image, int bits) {
  Image out = image;
  const auto mask = static_cast<std::uint8_t>(0xFF << (8 - bits));
  for (auto& value : out.rgb) value &= mask;
  return out;
}

Image solarize(const Image& image, double threshold) {
  Image out = image;
  for (auto& value : out.rgb) {
    if (value >= threshold) value = static_cast<std::uint8_t>(255 - value);
  }
  return out;
}

Image auto_contrast(const Image& image) {
  return by_histogram(image, [](const std::array<int, 256>& histogram) {
    Table table = identity();
    const auto used = [](int count) { return count > 0; };
    const auto low = std::ranges::find_if(histogram, used) - histogram.begin();
    const auto high = 255 - (std::find_if(histogram.rbegin(), histogram.rend(), used) - histogram.rbegin());
    if (high <= low) return table;
    const double scale = 255.0 / static_cast<double>(high - low), offset = -static_cast<double>(low) * scale;
    for (std::size_t i = 0; i < table.size(); ++i) {
      table[i] = static_cast<std::uint8_t>(std::clamp(static_cast<double>(i) * scale + offset, 0.0, 255.0));
    }
    return table;
  });
}

Image equalize(const Image& image) {
  return by_histogram(image, [](const std::array<int, 256>& histogram) {
    Table table = identity();
    const auto last = std::find_if(histogram.rbegin(), histogram.rend(), [](int count) { return count > 0; });
    const int total = std::accumulate(histogram.begin(), histogram.end(), 0);
    if (last == histogram.rend() || *last == total) return table;
    const int step = (total - *last) / 255;
    if (step == 0) return table;
    int sum = step / 2;
    for (std::size_t i = 0; i < table.size(); ++i) {
      table[i] = static_cast<std::uint8_t>(std::min(sum / step, 255));
      sum += histogram[i];
    }
    return table;
  });
}

}  // namespace revisit::augment

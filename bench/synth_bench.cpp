// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How fast the town is rendered on one core, and how far colours or a thumbnail alone get in it: one query and one reference
// each of 200 places (other seed: first argument). Both should stay below 20 % R@1, else the town is too easy.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <vector>

#include "revisit/synth.h"

namespace {

using Feature = std::vector<double>;

/// 8 x 8 x 8 RGB histogram, sums to 1.
Feature colours_of(const revisit::Image& image) {
  Feature out(512, 0.0);
  const std::size_t pixels = image.rgb.size() / 3;
  for (std::size_t i = 0; i < pixels; ++i) {
    const auto bin = [&](std::size_t channel) { return static_cast<std::size_t>(image.rgb[3 * i + channel] >> 5); };
    out[64 * bin(0) + 8 * bin(1) + bin(2)] += 1.0 / static_cast<double>(pixels);
  }
  return out;
}

/// 16 x 16 gray means, mean 0 and deviation 1.
Feature thumbnail_of(const revisit::Image& image) {
  Feature sum(256, 0.0), count(256, 0.0);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const std::size_t pixel =
          3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x));
      const auto cell = static_cast<std::size_t>(16 * (y * 16 / image.height) + x * 16 / image.width);
      sum[cell] += 0.299 * image.rgb[pixel] + 0.587 * image.rgb[pixel + 1] + 0.114 * image.rgb[pixel + 2];
      count[cell] += 1;
    }
  }
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] /= count[i];
  const double mean = std::accumulate(sum.begin(), sum.end(), 0.0) / 256;
  double variance = 0;
  for (const double v : sum) variance += (v - mean) * (v - mean) / 256;
  for (double& v : sum) v = (v - mean) / std::sqrt(variance + 1e-9);
  return sum;
}

double l1(const Feature& a, const Feature& b) {
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) out += std::abs(a[i] - b[i]);
  return out;
}

double minus_cosine(const Feature& a, const Feature& b) {
  const double norms =
      std::inner_product(a.begin(), a.end(), a.begin(), 0.0) * std::inner_product(b.begin(), b.end(), b.begin(), 0.0);
  return -std::inner_product(a.begin(), a.end(), b.begin(), 0.0) / std::sqrt(norms + 1e-30);
}

/// Percent of queries whose nearest reference is the one of their own place.
template <typename Distance>
double recall_at_1(const std::vector<Feature>& queries, const std::vector<Feature>& references, const Distance& distance) {
  int right = 0;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    std::size_t best = 0;
    for (std::size_t r = 1; r < references.size(); ++r) {
      if (distance(queries[q], references[r]) < distance(queries[q], references[best])) best = r;
    }
    right += best == q ? 1 : 0;
  }
  return 100.0 * right / static_cast<double>(queries.size());
}

}  // namespace

int main(int argc, char** argv) {
  revisit::TownOptions options;
  options.places = 200;
  options.views = 2;
  options.seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  std::vector<Feature> colours[2], thumbnails[2];
  double seconds = 0;
  for (int place = 0; place < options.places; ++place) {
    for (int view = 0; view < 2; ++view) {
      const std::clock_t start = std::clock();  // of this process alone: other work on the machine does not count
      const revisit::TownView shown = revisit::town_view(options, place, view);
      const revisit::Image image = revisit::render_place(options.seed, place, shown.camera, shown.conditions, options.size);
      seconds += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      colours[view].push_back(colours_of(image));
      thumbnails[view].push_back(thumbnail_of(image));
    }
  }
  std::printf("%.1f pictures/s of %dx%d on one core\n", options.places * 2 / seconds, options.size.width, options.size.height);
  std::printf("R@1 colour histogram, L1      %5.1f %%\n", recall_at_1(colours[0], colours[1], l1));
  std::printf("R@1 colour histogram, cosine  %5.1f %%\n", recall_at_1(colours[0], colours[1], minus_cosine));
  std::printf("R@1 16x16 thumbnail           %5.1f %%\n", recall_at_1(thumbnails[0], thumbnails[1], minus_cosine));
}

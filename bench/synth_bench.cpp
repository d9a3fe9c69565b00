// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How fast the town is rendered on one core, and how hard it is: R@1 of 200 places, one query and one reference each under other
// conditions. Colours or a thumbnail alone should stay below 20 %, else the town is too easy; real features should do better.
// usage: synth_bench [SEED] [BACKBONE]   (a DINOv2 ViT-S/14 checkpoint; default: that of the folder shared beside the project)
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "revisit/extractor.h"
#include "revisit/model.h"
#include "revisit/lab/synth.h"
#include "revisit/lab/vlad.h"

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

/// A folder that goes when the program ends.
struct Scratch {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("revisit_synth_bench_" + std::to_string(::getpid()));
  Scratch() { std::filesystem::create_directories(path); }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
};

/// VLAD without training: 32 words over the tokens after block 8 at 224x224, fitted on the references.
double vlad_recall(const std::filesystem::path& backbone, const std::vector<revisit::Image> (&pictures)[2]) {
  const Scratch scratch;
  std::vector<std::filesystem::path> references;
  for (std::size_t i = 0; i < pictures[1].size(); ++i) {
    references.push_back(scratch.path / (std::to_string(i) + ".png"));
    revisit::save_png(pictures[1][i], references.back());
  }
  revisit::import_model(backbone, scratch.path / "backbone.safetensors");
  revisit::FitVladOptions options;
  options.size = revisit::Size{224, 224};
  revisit::fit_vlad(revisit::Model::load(scratch.path / "backbone.safetensors"), references, scratch.path / "vlad.safetensors",
                    options);
  revisit::Extractor extractor(revisit::Model::load(scratch.path / "vlad.safetensors"));
  std::vector<Feature> features[2];
  for (int side = 0; side < 2; ++side) {
    for (const auto& picture : pictures[side]) {
      const auto descriptor = extractor.describe(picture);
      features[side].emplace_back(descriptor.begin(), descriptor.end());
    }
  }
  return recall_at_1(features[0], features[1], minus_cosine);
}

int run(int argc, char** argv) {
  revisit::TownOptions options;
  options.places = 200;
  options.views = 2;
  options.seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  const std::filesystem::path backbone =
      argc > 2 ? argv[2] : "../shared/weights/dinov2_vits14_dav2/dinov2_vits14_dav2.safetensors";
  std::vector<revisit::Image> pictures[2];
  std::vector<Feature> colours[2], thumbnails[2];
  double seconds = 0;
  for (int place = 0; place < options.places; ++place) {
    for (int view = 0; view < 2; ++view) {
      const std::clock_t start = std::clock();  // of this process alone: other work on the machine does not count
      const revisit::TownView shown = revisit::town_view(options, place, view);
      pictures[view].push_back(revisit::render_place(options.seed, place, shown.camera, shown.conditions, options.size));
      seconds += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      colours[view].push_back(colours_of(pictures[view].back()));
      thumbnails[view].push_back(thumbnail_of(pictures[view].back()));
    }
  }
  std::printf("%.1f pictures/s of %dx%d on one core\n", options.places * 2 / seconds, options.size.width, options.size.height);
  std::printf("R@1 colour histogram (better of L1 and cosine)  %5.1f %%\n",
              std::max(recall_at_1(colours[0], colours[1], l1), recall_at_1(colours[0], colours[1], minus_cosine)));
  std::printf("R@1 16x16 gray thumbnail                        %5.1f %%\n",
              recall_at_1(thumbnails[0], thumbnails[1], minus_cosine));
  std::fflush(stdout);
  if (!std::filesystem::exists(backbone)) {
    std::printf("R@1 training-free VLAD of DINOv2 ViT-S/14       not measured: '%s' is not there\n", backbone.c_str());
    return argc > 2 ? 1 : 0;
  }
  std::printf("R@1 training-free VLAD of DINOv2 ViT-S/14       %5.1f %%\n", vlad_recall(backbone, pictures));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "synth_bench: %s\n", error.what());
    return 1;
  }
}

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Billions of operations per second of whole networks with random weights: convolutional ones beside a vision transformer, whose
// products are the yardstick. What a CPU second does is steady on a machine that others use too.
// usage: conv_bench [THREADS [PRECISION]]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "core/tensor/parallel.h"
#include "engine/backbone/backbone.h"
#include "engine/model/model_file.h"

namespace revisit {
namespace {

model::Config resnet50() {
  model::ResnetConfig resnet{"resnet50", true, 64, {{3, 64, 256}, {4, 128, 512}, {6, 256, 1024}, {3, 512, 2048}}};
  model::Config config;
  config.backbone = resnet;
  return config;
}

model::Config vgg16() {
  model::VggConfig vgg{"vgg16", {{64, 64}, {128, 128}, {256, 256, 256}, {512, 512, 512}, {512, 512, 512}}};
  model::Config config;
  config.backbone = vgg;
  return config;
}

void measure(const char* name, const model::Config& config, Size size, tensor::Precision precision) {
  const auto model = model::make_random(config, 1);
  const auto network = backbone::make_backbone(*model, precision);
  const std::vector<float> pixels(3 * static_cast<std::size_t>(size.height * size.width), 0.5F);
  tensor::Arena arena;
  double best = 1e9, best_cpu = 1e9;
  for (int repeat = 0; repeat < 8; ++repeat) {
    arena.reset();
    const std::clock_t cpu = std::clock();
    const auto start = std::chrono::steady_clock::now();
    tensor::Features features = network->embed(pixels.data(), size, arena);
    network->run_blocks(features, 0, network->blocks(), nullptr, arena);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    best_cpu = std::min(best_cpu, static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC);
  }
  const double operations = 2 * config.backbone.macs(size, {});
  fmt::print("{:<10} {:>4}x{:<4} {:8.1f} ms {:7.1f} GFLOP/s {:7.1f} GFLOP per CPU second {:6.0f} MB of scratch\n", name,
             size.height, size.width, 1e3 * best, operations / best * 1e-9, operations / best_cpu * 1e-9,
             static_cast<double>(arena.capacity_bytes()) * 1e-6);
}

}  // namespace
}  // namespace revisit

int main(int count, char** words) {
  using namespace revisit;
  const tensor::Team team(count > 1 ? std::atoi(words[1]) : 0);
  const tensor::Precision precision = tensor::precision_of(count > 2 ? words[2] : "f32");
  measure("vits14", model::named_config("vits14"), {322, 322}, precision);
  measure("resnet50", resnet50(), {320, 320}, precision);
  measure("vgg16", vgg16(), {480, 640}, precision);
  return 0;
}

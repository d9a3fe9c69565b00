// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The kernels one by one, at the shapes of a ViT-S and a ViT-B: kernel_bench --benchmark_filter=linear/int8
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/tensor/attention.h"
#include "core/tensor/kernels.h"
#include "core/tensor/linear.h"
#include "core/tensor/narrow_product.h"
#include "core/tensor/parallel.h"

namespace {

using namespace revisit::tensor;

std::vector<float> waves(std::size_t count) {
  std::vector<float> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = std::sin(0.37F * static_cast<float>(i % 9973));
  return out;
}

template <typename Product>
void run_product(benchmark::State& state, const Product& product, int rows, int in, int out, int threads) {
  auto x = waves(static_cast<std::size_t>(rows) * static_cast<std::size_t>(in));
  auto y = waves(static_cast<std::size_t>(rows) * static_cast<std::size_t>(out));
  Arena arena;
  const Team team(threads);
  for (auto _ : state) {
    arena.reset();
    product({x.data(), rows, in, in}, {y.data(), rows, out, out}, arena);
  }
  state.counters["GOP/s"] =
      benchmark::Counter(2e-9 * rows * in * out * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void add_products(int rows, int in, int out, Linear::After after, const std::string& shape) {
  static std::vector<std::vector<float>> weights;
  weights.push_back(waves(static_cast<std::size_t>(in) * static_cast<std::size_t>(out)));
  const float* weight = weights.back().data();
  for (const int threads : {1, 2}) {
    const std::string end = shape + "/rows:" + std::to_string(rows) + "/threads:" + std::to_string(threads);
    benchmark::RegisterBenchmark(("linear/f32/" + end).c_str(), [=](benchmark::State& state) {
      run_product(state, Linear(weight, nullptr, in, out, after), rows, in, out, threads);
    })->UseRealTime();
    for (const auto& kernels : {byte_kernels(), bfloat_kernels()}) {
      for (const NarrowKernel* kernel : kernels) {
        if (kernel == kernels.back()) continue;  // the plain one
        const std::string name = std::string(kernel->bytes ? "linear/int8 " : "linear/bf16 ") + kernel->name + "/" + end;
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
          run_product(state, NarrowProduct(*kernel, weight, nullptr, in, out, after, nullptr), rows, in, out, threads);
        })->UseRealTime();
      }
    }
  }
}

void add_attention(int tokens, int heads, Precision precision, const char* name) {
  for (const int threads : {1, 2}) {
    const std::string full = std::string("attention/") + name + "/heads:" + std::to_string(heads) + "/tokens:" + std::to_string(tokens) +
                             "/threads:" + std::to_string(threads);
    benchmark::RegisterBenchmark(full.c_str(), [=](benchmark::State& state) {
      const int width = heads * 64;
      auto qkv = waves(static_cast<std::size_t>(tokens) * 3 * static_cast<std::size_t>(width));
      std::vector<float> out(static_cast<std::size_t>(tokens) * static_cast<std::size_t>(width));
      Arena arena;
      const Team team(threads);
      for (auto _ : state) {
        arena.reset();
        attention({qkv.data(), tokens, 3 * width, 3 * width}, heads, {out.data(), tokens, width, width}, arena, nullptr, precision);
      }
      state.counters["GOP/s"] =
          benchmark::Counter(4e-9 * tokens * tokens * width * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
    })->UseRealTime();
  }
}

void layer_norms(benchmark::State& state) {
  const int rows = 530, width = 768;
  auto x = waves(rows * width), y = x, gamma = waves(width);
  const Team team(2);
  for (auto _ : state) layer_norm({x.data(), rows, width, width}, gamma.data(), gamma.data(), 1e-6F, {y.data(), rows, width, width});
}

}  // namespace

int main(int count, char** values) {
  for (const int rows : {530, 266}) {
    for (const int width : {384, 768}) {
      const std::string vit = width == 384 ? "S" : "B";
      add_products(rows, width, 3 * width, Linear::After::kNothing, "qkv-" + vit);
      add_products(rows, width, width, Linear::After::kAdd, "proj-" + vit);
      add_products(rows, width, 4 * width, Linear::After::kGelu, "fc1-" + vit);
      add_products(rows, 4 * width, width, Linear::After::kAdd, "fc2-" + vit);
    }
    for (const int heads : {6, 12}) {
      add_attention(rows, heads, Precision::kF32, "f32");
      add_attention(rows, heads, Precision::kBf16, "bf16");
    }
  }
  benchmark::RegisterBenchmark("layer_norm/530x768/threads:2", layer_norms)->UseRealTime();
  benchmark::Initialize(&count, values);
  benchmark::RunSpecifiedBenchmarks();
}

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The register-only multiply-add loop, and names of instruction sets.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tensor/machine.cpp"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>
//
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <vector>

#include "core/tensor/machine.h"
#include "core/tensor/narrow_kernels.h"
#include "core/tensor/parallel.h"

HWY_BEFORE_NAMESPACE();
namespace revisit::tensor::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Twelve independent chains hide the latency of a multiply-add on every current CPU. Returns FLOPs done; `sink` keeps the
// result alive.
double FmaLoop(int rounds, float* sink) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const V x = hn::Set(d, 0.999F);
  const V y = hn::Set(d, 0.001F);
  const auto start = [&](float offset) HWY_ATTR { return hn::Set(d, *sink + offset); };  // equal chains would be merged
  V a = start(0.01F), b = start(0.02F), c = start(0.03F), e = start(0.04F), f = start(0.05F), g = start(0.06F);
  V h = start(0.07F), i = start(0.08F), j = start(0.09F), k = start(0.10F), l = start(0.11F), m = start(0.12F);
  for (int r = 0; r < rounds; ++r) {
    a = hn::MulAdd(a, x, y);
    b = hn::MulAdd(b, x, y);
    c = hn::MulAdd(c, x, y);
    e = hn::MulAdd(e, x, y);
    f = hn::MulAdd(f, x, y);
    g = hn::MulAdd(g, x, y);
    h = hn::MulAdd(h, x, y);
    i = hn::MulAdd(i, x, y);
    j = hn::MulAdd(j, x, y);
    k = hn::MulAdd(k, x, y);
    l = hn::MulAdd(l, x, y);
    m = hn::MulAdd(m, x, y);
  }
  const V sum = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), hn::Add(hn::Add(f, g), hn::Add(h, i)));
  *sink = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum, hn::Add(hn::Add(j, k), hn::Add(l, m)))));
  return 12.0 * 2.0 * static_cast<double>(hn::Lanes(d)) * rounds;
}

const char* NameOfTarget() { return hwy::TargetName(HWY_TARGET); }

}  // namespace revisit::tensor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace revisit::tensor {
namespace {

HWY_EXPORT(FmaLoop);
HWY_EXPORT(NameOfTarget);

}  // namespace

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(std::min(line.find(':') + 2, line.size()));
  }
  return "unknown";
}

std::string kernel_isa() { return HWY_DYNAMIC_DISPATCH(NameOfTarget)(); }

std::string kernel_names() {
  return fmt::format("f32 {}, bf16 {}, int8 {}", kernel_isa(), bfloat_kernels().front()->name, byte_kernels().front()->name);
}

double fma_gflops(double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRounds = 200'000;
  const int workers = threads();
  std::vector<float> sinks(static_cast<std::size_t>(workers));
  std::vector<double> flops(static_cast<std::size_t>(workers));
  double best = 0;
  const auto start = Clock::now();
  while (std::chrono::duration<double>(Clock::now() - start).count() < seconds) {
    const auto begin = Clock::now();
    parallel_for(workers, [&](int w) {
      flops[static_cast<std::size_t>(w)] = HWY_DYNAMIC_DISPATCH(FmaLoop)(kRounds, &sinks[static_cast<std::size_t>(w)]);
    });
    const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
    double total = 0;
    for (const double f : flops) total += f;
    best = std::max(best, total / elapsed * 1e-9);
  }
  return best;
}

}  // namespace revisit::tensor
#endif  // HWY_ONCE

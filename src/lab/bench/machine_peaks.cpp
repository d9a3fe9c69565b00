// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One loop for each kind of multiply-add, with enough independent chains to hide its latency.
#include "lab/bench/machine_peaks.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "core/tensor/machine.h"
#include "core/tensor/parallel.h"
#include "core/tensor/tiles.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace revisit {
namespace {

/// Runs `rounds` of the loop and returns the operations done.
using Loop = double (*)(int rounds);

[[maybe_unused]] double gops(Loop loop, int threads, double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRounds = 50'000;
  std::vector<double> rates(static_cast<std::size_t>(threads));
  std::barrier together(threads);
  const auto work = [&](int thread) {
    double best = 0;
    together.arrive_and_wait();
    const auto start = Clock::now();
    while (std::chrono::duration<double>(Clock::now() - start).count() < seconds) {
      const auto begin = Clock::now();
      const double done = loop(kRounds);
      best = std::max(best, done / std::chrono::duration<double>(Clock::now() - begin).count() * 1e-9);
    }
    rates[static_cast<std::size_t>(thread)] = best;
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
  work(0);
  for (auto& other : others) other.join();
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

#if defined(__x86_64__)

constexpr int kChains = 12;

/// Tells the compiler that the values are used and may have changed, so that no chain is dropped or hoisted.
template <typename V>
inline void keep(V (&values)[kChains]) {
#pragma GCC unroll 12
  for (V& value : values) asm volatile("" : "+v"(value));
}

__attribute__((target("avx512f,avx512bf16"))) double bf16_avx512(int rounds) {
  __m512 sums[kChains] = {};
  const __m512bh one = (__m512bh)_mm512_setzero_si512();
  for (int r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
    for (auto& sum : sums) sum = _mm512_dpbf16_ps(sum, one, one);
    keep(sums);
  }
  return 2.0 * 32 * kChains * rounds;
}

__attribute__((target("avx512f,avx512vnni"))) double vnni_avx512(int rounds) {
  __m512i sums[kChains] = {};
  const __m512i one = _mm512_set1_epi8(1);
  for (int r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
    for (auto& sum : sums) sum = _mm512_dpbusd_epi32(sum, one, one);
    keep(sums);
  }
  return 2.0 * 64 * kChains * rounds;
}

__attribute__((target("avx2,avxvnni"))) double vnni_avx(int rounds) {
  __m256i sums[kChains] = {};
  const __m256i one = _mm256_set1_epi8(1);
  for (int r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
    for (auto& sum : sums) sum = _mm256_dpbusd_avx_epi32(sum, one, one);
    keep(sums);
  }
  return 2.0 * 32 * kChains * rounds;
}

__attribute__((target("amx-tile,amx-int8"))) double int8_amx(int rounds) {
  tensor::begin_tiles();
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  _tile_zero(6);
  _tile_zero(7);
  for (int r = 0; r < rounds; ++r) {
    _tile_dpbusd(0, 4, 6);
    _tile_dpbusd(1, 4, 7);
    _tile_dpbusd(2, 5, 6);
    _tile_dpbusd(3, 5, 7);
  }
  tensor::end_tiles();
  return 2.0 * 16 * 16 * 64 * 4 * rounds;
}

__attribute__((target("amx-tile,amx-bf16"))) double bf16_amx(int rounds) {
  tensor::begin_tiles();
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  _tile_zero(6);
  _tile_zero(7);
  for (int r = 0; r < rounds; ++r) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  tensor::end_tiles();
  return 2.0 * 16 * 16 * 32 * 4 * rounds;
}

struct Features {
  bool avx512_bf16 = false, avx512_vnni = false, avx_vnni = false, amx_bf16 = false, amx_int8 = false;
};

Features features() {
  Features found;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return found;
  const unsigned c0 = c, d0 = d;
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d) == 0) a = 0;
  const bool avx512 = __builtin_cpu_supports("avx512f") != 0;  // of the system too, not only of the CPU
  found.avx512_vnni = avx512 && (c0 >> 11 & 1) != 0;
  found.avx512_bf16 = avx512 && (a >> 5 & 1) != 0;
  found.avx_vnni = __builtin_cpu_supports("avx2") != 0 && (a >> 4 & 1) != 0;
  const bool tiles = tensor::tiles_usable();
  found.amx_bf16 = tiles;
  found.amx_int8 = tiles && (d0 >> 25 & 1) != 0;
  return found;
}

#endif

}  // namespace

std::map<std::string, double> machine_peaks(int threads, double seconds_each) {
  const tensor::Team team(threads);
  std::map<std::string, double> peaks{{"fma", tensor::fma_gflops(seconds_each)}};
#if defined(__x86_64__)
  const auto measure = [&](const char* kind, Loop loop) { peaks[kind] = gops(loop, threads, seconds_each); };
  const Features cpu = features();
  if (cpu.avx512_bf16) measure("bf16", bf16_avx512);
  if (cpu.avx512_vnni) {
    measure("vnni", vnni_avx512);
  } else if (cpu.avx_vnni) {
    measure("vnni", vnni_avx);
  }
  if (cpu.amx_bf16) measure("amx_bf16", bf16_amx);
  if (cpu.amx_int8) measure("amx_int8", int8_amx);
#endif
  return peaks;
}

}  // namespace revisit

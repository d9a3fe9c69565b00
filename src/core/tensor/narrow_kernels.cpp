// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One kernel an instruction set. Functions that use its instructions say so themselves (`target`), so that nothing else is compiled
// for it; which ones run is asked of the processor once.
#include "core/tensor/narrow_kernels.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/tensor/tiles.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <arm_neon.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace revisit::tensor {
namespace {

bool always() { return true; }

void plain_bytes(const std::byte* rows, std::ptrdiff_t stride, int count, const std::byte* panel, int steps, const void* start,
                 void* sums) {
  auto* out = static_cast<std::int32_t*>(sums);
  for (int r = 0; r < count; ++r, out += kPanel) {
    std::memcpy(out, start, sizeof(std::int32_t) * kPanel);
    for (int k = 0; k < steps * kStepBytes; ++k) {
      const int x = static_cast<std::uint8_t>(rows[r * stride + k]);
      const std::byte* weights = panel + k / 4 * 128 + k % 4;
      for (int c = 0; c < kPanel; ++c) out[c] += x * static_cast<std::int8_t>(weights[4 * c]);
    }
  }
}

float bfloat_at(const std::byte* from) {
  std::uint16_t half = 0;
  std::memcpy(&half, from, sizeof(half));
  return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16);
}

void plain_bfloats(const std::byte* rows, std::ptrdiff_t stride, int count, const std::byte* panel, int steps, const void* start,
                 void* sums) {
  auto* out = static_cast<float*>(sums);
  for (int r = 0; r < count; ++r, out += kPanel) {
    std::memcpy(out, start, sizeof(float) * kPanel);
    for (int k = 0; k < steps * kStepBytes; k += 2) {
      const float x = bfloat_at(rows + r * stride + k);
      const std::byte* weights = panel + k / 4 * 128 + k % 4;
      for (int c = 0; c < kPanel; ++c) out[c] += x * bfloat_at(weights + 4 * c);
    }
  }
}

constexpr NarrowKernel kPlainBytes{"plain", true, 128, 254, 32, always, plain_bytes, nullptr, nullptr};
constexpr NarrowKernel kPlainBfloats{"plain", false, 0, 0, 32, always, plain_bfloats, nullptr, nullptr};

#if defined(__x86_64__) && defined(__GNUC__)

/// multiply<kRows> for as many rows as there are.
template <template <int> class Tile, int kRows>
inline void by_rows(const std::byte* rows, std::ptrdiff_t stride, int count, const std::byte* panel, int steps, const void* start,
                 void* sums) {
  if constexpr (kRows > 1) {
    if (count < kRows) return by_rows<Tile, kRows - 1>(rows, stride, count, panel, steps, start, sums);
  }
  Tile<kRows>::multiply(rows, stride, panel, steps, start, sums);
}

inline int four_bytes(const std::byte* from) {
  int out = 0;
  std::memcpy(&out, from, sizeof(out));
  return out;
}

#define REVISIT_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))
#define REVISIT_BFLOAT __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16")))
#define REVISIT_AVX_VNNI __attribute__((target("avx2,avxvnni")))
#define REVISIT_AVX2 __attribute__((target("avx2")))

// Twelve rows by two vectors of sums, as in the f32 kernel.
template <int kRows>
struct VnniTile {
  REVISIT_VNNI static void multiply(const std::byte* rows, std::ptrdiff_t stride, const std::byte* panel, int steps, const void* start,
                 void* sums) {
    __m512i left[kRows], right[kRows];
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) {
      left[r] = _mm512_load_si512(start);
      right[r] = _mm512_load_si512(static_cast<const std::byte*>(start) + 64);
    }
    for (int quad = 0; quad < steps * 16; ++quad, rows += 4, panel += 128) {
      const __m512i b0 = _mm512_load_si512(panel), b1 = _mm512_load_si512(panel + 64);
#pragma GCC unroll 12
      for (int r = 0; r < kRows; ++r) {
        const __m512i x = _mm512_set1_epi32(four_bytes(rows + r * stride));
        left[r] = _mm512_dpbusd_epi32(left[r], x, b0);
        right[r] = _mm512_dpbusd_epi32(right[r], x, b1);
      }
    }
    auto* out = static_cast<std::int32_t*>(sums);
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) {
      _mm512_storeu_si512(out + r * kPanel, left[r]);
      _mm512_storeu_si512(out + r * kPanel + 16, right[r]);
    }
  }
};

template <int kRows>
struct BfloatTile {
  REVISIT_BFLOAT static void multiply(const std::byte* rows, std::ptrdiff_t stride, const std::byte* panel, int steps, const void* start,
                 void* sums) {
    __m512 left[kRows], right[kRows];
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) {
      left[r] = _mm512_load_ps(start);
      right[r] = _mm512_load_ps(static_cast<const std::byte*>(start) + 64);
    }
    for (int pair = 0; pair < steps * 16; ++pair, rows += 4, panel += 128) {
      const auto b0 = reinterpret_cast<__m512bh>(_mm512_load_si512(panel));
      const auto b1 = reinterpret_cast<__m512bh>(_mm512_load_si512(panel + 64));
#pragma GCC unroll 12
      for (int r = 0; r < kRows; ++r) {
        const auto x = reinterpret_cast<__m512bh>(_mm512_set1_epi32(four_bytes(rows + r * stride)));
        left[r] = _mm512_dpbf16_ps(left[r], x, b0);
        right[r] = _mm512_dpbf16_ps(right[r], x, b1);
      }
    }
    auto* out = static_cast<float*>(sums);
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) {
      _mm512_storeu_ps(out + r * kPanel, left[r]);
      _mm512_storeu_ps(out + r * kPanel + 16, right[r]);
    }
  }
};

// Three rows by four vectors of sums: twelve of the sixteen registers.
template <int kRows>
struct AvxVnniTile {
  REVISIT_AVX_VNNI static void multiply(const std::byte* rows, std::ptrdiff_t stride, const std::byte* panel, int steps, const void* start,
                 void* sums) {
    __m256i sum[kRows][4];
#pragma GCC unroll 12
    for (int i = 0; i < 4 * kRows; ++i) sum[i / 4][i % 4] = _mm256_load_si256(static_cast<const __m256i*>(start) + i % 4);
    for (int quad = 0; quad < steps * 16; ++quad, rows += 4, panel += 128) {
      const auto* b = reinterpret_cast<const __m256i*>(panel);
#pragma GCC unroll 3
      for (int r = 0; r < kRows; ++r) {
        const __m256i x = _mm256_set1_epi32(four_bytes(rows + r * stride));
#pragma GCC unroll 4
        for (int c = 0; c < 4; ++c) sum[r][c] = _mm256_dpbusd_avx_epi32(sum[r][c], x, _mm256_load_si256(b + c));
      }
    }
    auto* out = static_cast<__m256i*>(sums);
#pragma GCC unroll 12
    for (int i = 0; i < 4 * kRows; ++i) _mm256_storeu_si256(out + i, sum[i / 4][i % 4]);
  }
};

template <int kRows>
struct Avx2Tile {
  REVISIT_AVX2 static void multiply(const std::byte* rows, std::ptrdiff_t stride, const std::byte* panel, int steps, const void* start,
                 void* sums) {
    const __m256i ones = _mm256_set1_epi16(1);
    __m256i sum[kRows][4];
#pragma GCC unroll 12
    for (int i = 0; i < 4 * kRows; ++i) sum[i / 4][i % 4] = _mm256_load_si256(static_cast<const __m256i*>(start) + i % 4);
    for (int quad = 0; quad < steps * 16; ++quad, rows += 4, panel += 128) {
      const auto* b = reinterpret_cast<const __m256i*>(panel);
#pragma GCC unroll 3
      for (int r = 0; r < kRows; ++r) {
        const __m256i x = _mm256_set1_epi32(four_bytes(rows + r * stride));
#pragma GCC unroll 4
        for (int c = 0; c < 4; ++c) {
          const __m256i pairs = _mm256_maddubs_epi16(x, _mm256_load_si256(b + c));  // 255 x 128 fits
          sum[r][c] = _mm256_add_epi32(sum[r][c], _mm256_madd_epi16(pairs, ones));
        }
      }
    }
    auto* out = static_cast<__m256i*>(sums);
#pragma GCC unroll 12
    for (int i = 0; i < 4 * kRows; ++i) _mm256_storeu_si256(out + i, sum[i / 4][i % 4]);
  }
};

bool has_vnni() {
  return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq");
}
bool has_bfloat() {
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq");
}
bool has_avx2() { return __builtin_cpu_supports("avx2"); }
bool has_avx_vnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return has_avx2() && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & 1U << 4) != 0;
}

constexpr NarrowKernel kVnni{"AVX-512 VNNI", true, 128, 254, 12, has_vnni, by_rows<VnniTile, 12>, nullptr, nullptr};
constexpr NarrowKernel kAvxVnni{"AVX-VNNI", true, 128, 254, 3, has_avx_vnni, by_rows<AvxVnniTile, 3>, nullptr, nullptr};
constexpr NarrowKernel kAvx2{"AVX2", true, 128, 128, 3, has_avx2, by_rows<Avx2Tile, 3>, nullptr, nullptr};
constexpr NarrowKernel kBfloat{"AVX-512 BF16", false, 0, 0, 12, has_bfloat, by_rows<BfloatTile, 12>, nullptr, nullptr};

#if !defined(__clang__)

#define REVISIT_AMX __attribute__((target("amx-tile,amx-int8,amx-bf16")))

// Two tiles of rows by two of outputs. `two`: more than 16 rows.
template <bool kBytes, bool kTwo>
REVISIT_AMX void amx_tiles(const std::byte* rows, std::ptrdiff_t stride, const std::byte* panel, int steps, const void* start,
                 void* sums) {
  __asm__ volatile("" ::: "memory");  // tiles are loaded behind the compiler's back: rows and panel must be in memory
  const auto* second = static_cast<const std::byte*>(start) + 64;
  _tile_loadd(0, start, 0);  // the same for every row
  _tile_loadd(1, second, 0);
  if constexpr (kTwo) {
    _tile_loadd(2, start, 0);
    _tile_loadd(3, second, 0);
  }
  for (int s = 0; s < steps; ++s, rows += kStepBytes, panel += 16 * 128) {
    _tile_loadd(4, rows, stride);
    _tile_loadd(6, panel, 128);
    _tile_loadd(7, panel + 64, 128);
    if constexpr (kTwo) _tile_loadd(5, rows + 16 * stride, stride);
    if constexpr (kBytes) {
      _tile_dpbusd(0, 4, 6);
      _tile_dpbusd(1, 4, 7);
      if constexpr (kTwo) {
        _tile_dpbusd(2, 5, 6);
        _tile_dpbusd(3, 5, 7);
      }
    } else {
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
      if constexpr (kTwo) {
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
      }
    }
  }
  auto* out = static_cast<std::byte*>(sums);
  _tile_stored(0, out, 128);
  _tile_stored(1, out + 64, 128);
  if constexpr (kTwo) {
    _tile_stored(2, out + 16 * 128, 128);
    _tile_stored(3, out + 16 * 128 + 64, 128);
  }
  __asm__ volatile("" ::: "memory");
}

template <bool kBytes>
void amx_multiply(const std::byte* rows, std::ptrdiff_t stride, int count, const std::byte* panel, int steps, const void* start,
                 void* sums) {
  if (count > 16) return amx_tiles<kBytes, true>(rows, stride, panel, steps, start, sums);
  amx_tiles<kBytes, false>(rows, stride, panel, steps, start, sums);
}

bool has_byte_tiles() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kByteTile = 1U << 25;  // leaf 7, edx
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & kByteTile) != 0 && tiles_usable();
}

constexpr NarrowKernel kByteTiles{"AMX", true, 128, 254, 32, has_byte_tiles, amx_multiply<true>, begin_tiles, end_tiles};
constexpr NarrowKernel kBfloatTiles{"AMX", false, 0, 0, 32, tiles_usable, amx_multiply<false>, begin_tiles, end_tiles};

constexpr const NarrowKernel* kAllBytes[] = {&kByteTiles, &kVnni, &kAvxVnni, &kAvx2, &kPlainBytes};
constexpr const NarrowKernel* kAllBfloats[] = {&kBfloatTiles, &kBfloat, &kPlainBfloats};
#else
constexpr const NarrowKernel* kAllBytes[] = {&kVnni, &kAvxVnni, &kAvx2, &kPlainBytes};
constexpr const NarrowKernel* kAllBfloats[] = {&kBfloat, &kPlainBfloats};
#endif

#elif defined(__aarch64__) && defined(__linux__)

// Both signed. Two rows by eight vectors of sums.
template <int kRows>
__attribute__((target("arch=armv8.2-a+dotprod"))) void dot_tile(const std::byte* rows, std::ptrdiff_t stride, const std::byte* panel,
                                                                int steps, const std::int32_t* start, std::int32_t* out) {
  int32x4_t sum[kRows][8];
#pragma GCC unroll 16
  for (int i = 0; i < 8 * kRows; ++i) sum[i / 8][i % 8] = vld1q_s32(start + 4 * (i % 8));
  for (int quad = 0; quad < steps * 16; ++quad, rows += 4, panel += 128) {
    const auto* b = reinterpret_cast<const std::int8_t*>(panel);
    int8x16_t x[kRows];
#pragma GCC unroll 2
    for (int r = 0; r < kRows; ++r) {
      std::int32_t four = 0;
      std::memcpy(&four, rows + r * stride, sizeof(four));
      x[r] = vreinterpretq_s8_s32(vdupq_n_s32(four));
    }
#pragma GCC unroll 8
    for (int c = 0; c < 8; ++c) {
      const int8x16_t weights = vld1q_s8(b + 16 * c);
#pragma GCC unroll 2
      for (int r = 0; r < kRows; ++r) sum[r][c] = vdotq_s32(sum[r][c], x[r], weights);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < 8 * kRows; ++i) vst1q_s32(out + 4 * i, sum[i / 8][i % 8]);
}

void dot_multiply(const std::byte* rows, std::ptrdiff_t stride, int count, const std::byte* panel, int steps, const void* start,
                 void* sums) {
  const auto* from = static_cast<const std::int32_t*>(start);
  if (count > 1) return dot_tile<2>(rows, stride, panel, steps, from, static_cast<std::int32_t*>(sums));
  dot_tile<1>(rows, stride, panel, steps, from, static_cast<std::int32_t*>(sums));
}

bool has_dot() { return (::getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0; }

constexpr NarrowKernel kDot{"dot product", true, 0, 254, 2, has_dot, dot_multiply, nullptr, nullptr};
constexpr const NarrowKernel* kAllBytes[] = {&kDot, &kPlainBytes};
constexpr const NarrowKernel* kAllBfloats[] = {&kPlainBfloats};

#else
constexpr const NarrowKernel* kAllBytes[] = {&kPlainBytes};
constexpr const NarrowKernel* kAllBfloats[] = {&kPlainBfloats};
#endif

std::vector<const NarrowKernel*> usable(std::span<const NarrowKernel* const> all) {
  std::vector<const NarrowKernel*> out;
  for (const NarrowKernel* kernel : all) {
    if (kernel->usable()) out.push_back(kernel);
  }
  return out;
}

}  // namespace

std::span<const NarrowKernel* const> byte_kernels() {
  static const std::vector<const NarrowKernel*> kernels = usable(kAllBytes);
  return kernels;
}

std::span<const NarrowKernel* const> bfloat_kernels() {
  static const std::vector<const NarrowKernel*> kernels = usable(kAllBfloats);
  return kernels;
}

}  // namespace revisit::tensor

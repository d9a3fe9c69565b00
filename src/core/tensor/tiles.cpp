// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A tile of the left side holds 16 rows of 32 values, one of the right side 16 pairs of values for 16 columns. Both sides are put
// in order first: the right one whole, the left one 32 rows at a time. A block of 2 x 2 tiles of sums stays in registers over k;
// without tile registers half a tile of rows by two of columns.
// Functions that use the instructions say so themselves (`target`), so that nothing else is compiled for them.
#include "core/tensor/tiles.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>

#include "core/tensor/parallel.h"

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define REVISIT_TILES 1
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#define REVISIT_TILES 0
#endif

namespace revisit::tensor {
namespace reference {

float to_bfloat(float x) {
  auto bits = std::bit_cast<std::uint32_t>(x);
  if (std::isnan(x)) return x;
  bits += 0x7fffU + ((bits >> 16) & 1U);
  return std::bit_cast<float>(bits & 0xffff0000U);
}

void tile_product(int m, int n, int k, TileOperand a, TileOperand b, float* c, std::ptrdiff_t c_stride) {
  const auto at = [](const TileOperand& x, int row, int col) {
    return static_cast<double>(to_bfloat(x.transposed ? x.data[col * x.stride + row] : x.data[row * x.stride + col]));
  };
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int p = 0; p < k; ++p) sum += at(a, i, p) * at(b, p, j);
      c[i * c_stride + j] = static_cast<float>(sum);
    }
  }
}

}  // namespace reference

#if REVISIT_TILES
namespace {

#define REVISIT_VECTOR_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16")))
#define REVISIT_TILE_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,amx-tile,amx-bf16")))

constexpr int kSide = 16;   // rows of a tile, and columns of sums
constexpr int kDepth = 32;  // values of k in a tile
constexpr int kChunk = 64;  // tiles of k at a time, so that a strip of either side stays near
constexpr std::size_t kTileBytes = 1024;

constexpr int tiles_of(int count, int side) { return (count + side - 1) / side; }

/// Tiles 0 to 3 are sums, 4 and 5 left, 6 and 7 right; all are 16 rows of 64 bytes.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

constexpr std::size_t kAlignment = 64;

std::byte* aligned(std::vector<std::byte>& memory) {
  void* start = memory.data();
  std::size_t space = memory.size();
  return static_cast<std::byte*>(std::align(kAlignment, 1, start, space));
}

/// Tiles of one chunk of k.
std::size_t chunk_of(int k) { return static_cast<std::size_t>(std::min(kChunk, tiles_of(k, kDepth))); }

void grow(std::vector<std::byte>& memory, std::size_t tiles) {
  memory.resize(std::max(memory.size(), tiles * kTileBytes + kAlignment));
}

void reserve_left(TileScratch& scratch, int k) { grow(scratch.left, 2 * chunk_of(k)); }
void reserve_right(TileScratch& scratch, int n, int k) {
  grow(scratch.right, static_cast<std::size_t>(tiles_of(n, kSide)) * chunk_of(k));
}

REVISIT_VECTOR_TARGET inline __m512 load_some(const float* from, int count) {
  if (count >= 16) return _mm512_loadu_ps(from);
  return count <= 0 ? _mm512_setzero_ps() : _mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << count) - 1U), from);
}

/// 16 rows of 32 values in memory, as they are: row r of the tile is row r, zero outside `rows` x `cols`.
REVISIT_VECTOR_TARGET inline void put_rows(const float* from, std::ptrdiff_t stride, int rows, int cols, std::byte* tile) {
  for (int r = 0; r < kSide; ++r) {
    __m512i pairs = _mm512_setzero_si512();
    if (r < rows) {
      const float* row = from + r * stride;
      pairs = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(load_some(row + 16, cols - 16), load_some(row, cols)));
    }
    _mm512_store_si512(tile + r * 64, pairs);
  }
}

/// 32 rows of 16 values in memory: row p of the tile holds rows 2p and 2p + 1, value by value.
REVISIT_VECTOR_TARGET inline void put_pairs(const float* from, std::ptrdiff_t stride, int rows, int cols, std::byte* tile) {
  for (int p = 0; p < kSide; ++p) {
    const auto half = [&](int row) REVISIT_VECTOR_TARGET {
      if (row >= rows) return _mm512_setzero_si512();
      return _mm512_maskz_cvtepu16_epi32(0xffff,
                                         reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(load_some(from + row * stride, cols))));
    };
    _mm512_store_si512(tile + p * 64, _mm512_or_si512(half(2 * p), _mm512_maskz_slli_epi32(0xffff, half(2 * p + 1), 16)));
  }
}

/// A tile as 16 x 16 pairs, rows and columns exchanged: first within blocks of 4 x 4, then the blocks. Masks of ones stand where
/// plain forms would warn of values that are never used.
REVISIT_VECTOR_TARGET inline void turn(std::byte* tile) {
  constexpr __mmask16 kAll = 0xffff;
  constexpr __mmask8 kAllPairs = 0xff;
  __m512i blocks[4][4];  // [group of four rows][column within each block]
  for (int g = 0; g < 4; ++g) {
    __m512i rows[4];
    for (int i = 0; i < 4; ++i) rows[i] = _mm512_load_si512(tile + (4 * g + i) * 64);
    const __m512i low01 = _mm512_maskz_unpacklo_epi32(kAll, rows[0], rows[1]);
    const __m512i high01 = _mm512_maskz_unpackhi_epi32(kAll, rows[0], rows[1]);
    const __m512i low23 = _mm512_maskz_unpacklo_epi32(kAll, rows[2], rows[3]);
    const __m512i high23 = _mm512_maskz_unpackhi_epi32(kAll, rows[2], rows[3]);
    blocks[g][0] = _mm512_maskz_unpacklo_epi64(kAllPairs, low01, low23);
    blocks[g][1] = _mm512_maskz_unpackhi_epi64(kAllPairs, low01, low23);
    blocks[g][2] = _mm512_maskz_unpacklo_epi64(kAllPairs, high01, high23);
    blocks[g][3] = _mm512_maskz_unpackhi_epi64(kAllPairs, high01, high23);
  }
  constexpr int kEven = 0x88, kOdd = 0xdd;  // blocks 0 and 2, or 1 and 3, of either
  for (int i = 0; i < 4; ++i) {
    const __m512i even01 = _mm512_maskz_shuffle_i32x4(kAll, blocks[0][i], blocks[1][i], kEven);
    const __m512i odd01 = _mm512_maskz_shuffle_i32x4(kAll, blocks[0][i], blocks[1][i], kOdd);
    const __m512i even23 = _mm512_maskz_shuffle_i32x4(kAll, blocks[2][i], blocks[3][i], kEven);
    const __m512i odd23 = _mm512_maskz_shuffle_i32x4(kAll, blocks[2][i], blocks[3][i], kOdd);
    _mm512_store_si512(tile + i * 64, _mm512_maskz_shuffle_i32x4(kAll, even01, even23, kEven));
    _mm512_store_si512(tile + (4 + i) * 64, _mm512_maskz_shuffle_i32x4(kAll, odd01, odd23, kEven));
    _mm512_store_si512(tile + (8 + i) * 64, _mm512_maskz_shuffle_i32x4(kAll, even01, even23, kOdd));
    _mm512_store_si512(tile + (12 + i) * 64, _mm512_maskz_shuffle_i32x4(kAll, odd01, odd23, kOdd));
  }
}

/// Rows `row`.. of the left side and values `p`.. of k.
REVISIT_VECTOR_TARGET void put_left(const TileOperand& a, int m, int k, int row, int p, std::byte* tile) {
  const int rows = m - row, depth = k - p;
  if (!a.transposed) return put_rows(a.data + row * a.stride + p, a.stride, rows, depth, tile);
  put_pairs(a.data + p * a.stride + row, a.stride, depth, rows, tile);
  turn(tile);
}

/// Values `p`.. of k and columns `col`.. of the right side.
REVISIT_VECTOR_TARGET void put_right(const TileOperand& b, int n, int k, int p, int col, std::byte* tile) {
  const int cols = n - col, depth = k - p;
  if (!b.transposed) return put_pairs(b.data + p * b.stride + col, b.stride, depth, cols, tile);
  put_rows(b.data + col * b.stride + p, b.stride, cols, depth, tile);
  turn(tile);
}

/// What a register holds goes to rows x cols of c, added to what is there if `add`.
REVISIT_VECTOR_TARGET void take(const float* sums, float* c, std::ptrdiff_t stride, int rows, int cols, bool add) {
  const auto mask = static_cast<__mmask16>(cols >= kSide ? 0xffffU : (1U << cols) - 1U);
  for (int r = 0; r < std::min(rows, kSide); ++r) {
    __m512 row = _mm512_load_ps(sums + r * kSide);
    if (add) row = _mm512_add_ps(row, _mm512_maskz_loadu_ps(mask, c + r * stride));
    _mm512_mask_storeu_ps(c + r * stride, mask, row);
  }
}

/// Up to 32 rows of the left side, in order, against all of the right side: `depth` tiles of k.
REVISIT_TILE_TARGET void multiply_tiles(const std::byte* left, const std::byte* right, int rows, int n, int depth, float* c,
                                        std::ptrdiff_t stride, bool add) {
  const std::size_t strip = static_cast<std::size_t>(depth) * kTileBytes;
  __asm__ volatile("" ::: "memory");  // tiles are loaded behind the compiler's back: what was put in order must be in memory
  alignas(64) float sums[4][kSide * kSide];
  const bool two_rows = rows > kSide;
  for (int col = 0; col < n; col += 2 * kSide) {
    const bool two_cols = n - col > kSide;
    const std::byte* b = right + static_cast<std::size_t>(col / kSide) * strip;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int d = 0; d < depth; ++d) {
      const std::size_t at = static_cast<std::size_t>(d) * kTileBytes;
      for (std::size_t line = 2 * kTileBytes; line < 3 * kTileBytes; line += 64) {  // the next but one
        _mm_prefetch(reinterpret_cast<const char*>(b + at + line), _MM_HINT_T0);
        _mm_prefetch(reinterpret_cast<const char*>(b + strip + at + line), _MM_HINT_T0);
      }
      _tile_loadd(4, left + at, 64);
      _tile_loadd(6, b + at, 64);
      _tile_dpbf16ps(0, 4, 6);
      if (two_cols) {
        _tile_loadd(7, b + strip + at, 64);
        _tile_dpbf16ps(1, 4, 7);
      }
      if (two_rows) {
        _tile_loadd(5, left + strip + at, 64);
        _tile_dpbf16ps(2, 5, 6);
        if (two_cols) _tile_dpbf16ps(3, 5, 7);
      }
    }
    _tile_stored(0, sums[0], 64);
    take(sums[0], c + col, stride, rows, n - col, add);
    if (two_cols) {
      _tile_stored(1, sums[1], 64);
      take(sums[1], c + col + kSide, stride, rows, n - col - kSide, add);
    }
    if (two_rows) {
      _tile_stored(2, sums[2], 64);
      take(sums[2], c + kSide * stride + col, stride, rows - kSide, n - col, add);
      if (two_cols) {
        _tile_stored(3, sums[3], 64);
        take(sums[3], c + kSide * stride + col + kSide, stride, rows - kSide, n - col - kSide, add);
      }
    }
  }
}

/// The same on vectors.
REVISIT_VECTOR_TARGET void multiply_vectors(const std::byte* left, const std::byte* right, int rows, int n, int depth, float* c,
                                            std::ptrdiff_t stride, bool add) {
  constexpr int kRows = 8;
  const std::size_t strip = static_cast<std::size_t>(depth) * kTileBytes;
  alignas(64) float sums[2][kSide * kSide];
  for (int col = 0; col < n; col += 2 * kSide) {
    const bool two_cols = n - col > kSide;
    const std::byte* b = right + static_cast<std::size_t>(col / kSide) * strip;
    const std::byte* second = two_cols ? b + strip : b;
    for (int row = 0; row < std::min(rows, 2 * kSide); row += kRows) {
      const std::byte* a = left + (row < kSide ? 0 : strip) + row % kSide * 64;
      __m512 one[kRows], other[kRows];
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) one[r] = other[r] = _mm512_setzero_ps();
      for (std::size_t line = 0; line < strip; line += 64) {  // of the right side: a pair of values of k
        const auto b0 = reinterpret_cast<__m512bh>(_mm512_load_si512(b + line));
        const auto b1 = reinterpret_cast<__m512bh>(_mm512_load_si512(second + line));
        const std::byte* pairs = a + line / kTileBytes * kTileBytes + line % kTileBytes / kSide;
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) {
          int pair = 0;
          std::memcpy(&pair, pairs + r * 64, sizeof(pair));
          const auto x = reinterpret_cast<__m512bh>(_mm512_set1_epi32(pair));
          one[r] = _mm512_dpbf16_ps(one[r], x, b0);
          other[r] = _mm512_dpbf16_ps(other[r], x, b1);
        }
      }
      for (int r = 0; r < kRows; ++r) {
        _mm512_store_ps(sums[0] + r * kSide, one[r]);
        _mm512_store_ps(sums[1] + r * kSide, other[r]);
      }
      const int some = std::min(rows - row, kRows);
      take(sums[0], c + row * stride + col, stride, some, n - col, add);
      if (two_cols) take(sums[1], c + row * stride + col + kSide, stride, some, n - col - kSide, add);
    }
  }
}

void multiply_strip(const std::byte* left, const std::byte* right, int rows, int n, int depth, float* c, std::ptrdiff_t stride,
                    bool add) {
  if (tiles_usable()) return multiply_tiles(left, right, rows, n, depth, c, stride, add);
  multiply_vectors(left, right, rows, n, depth, c, stride, add);
}

/// Static: the compiler believes that only its first bytes are read.
constexpr TileConfig kConfig;

/// One product, a chunk of k after the other. `each(count, body)` runs body(i, room for a strip of the left side) for every i, on
/// however many threads.
template <typename Each>
void product(int m, int n, int k, const TileOperand& a, const TileOperand& b, float* c, std::ptrdiff_t c_stride, std::byte* right,
             const Each& each) {
  const int all = tiles_of(k, kDepth);
  for (int first = 0; first < all; first += kChunk) {
    const int depth = std::min(kChunk, all - first);
    const std::size_t strip = static_cast<std::size_t>(depth) * kTileBytes;
    each(tiles_of(n, kSide), [&](int j, std::byte*) {
      std::byte* tile = right + static_cast<std::size_t>(j) * strip;
      for (int d = 0; d < depth; ++d, tile += kTileBytes) put_right(b, n, k, (first + d) * kDepth, j * kSide, tile);
    });
    each(tiles_of(m, 2 * kSide), [&](int i, std::byte* left) {
      const int row = i * 2 * kSide;
      std::byte* tile = left;
      for (int half = row; half < std::min(m, row + 2 * kSide); half += kSide) {
        for (int d = 0; d < depth; ++d, tile += kTileBytes) put_left(a, m, k, half, (first + d) * kDepth, tile);
      }
      multiply_strip(left, right, m - row, n, depth, c + row * c_stride, c_stride, first > 0);
    });
  }
}

bool has_vectors() {
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq");
}

bool ask_for_tiles() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kTile = 1U << 24, kBf16Tile = 1U << 22;  // leaf 7, edx
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & kTile) == 0 || (d & kBf16Tile) == 0) return false;
  if (!has_vectors()) return false;
  constexpr long kAskForState = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM
  return ::syscall(SYS_arch_prctl, kAskForState, kTileData) == 0;
}

}  // namespace

bool tiles_usable() {
  static const bool usable = ask_for_tiles();
  return usable;
}

bool bfloat_products_usable() {
  static const bool usable = has_vectors();  // whoever has tiles has these as well
  return usable;
}

REVISIT_TILE_TARGET void begin_tiles() { _tile_loadconfig(&kConfig); }
REVISIT_TILE_TARGET void end_tiles() { _tile_release(); }

void TileScratch::reserve(int n, int k) {
  reserve_left(*this, k);
  reserve_right(*this, n, k);
}

void tile_product(int m, int n, int k, TileOperand a, TileOperand b, float* c, std::ptrdiff_t c_stride) {
  static thread_local std::vector<TileScratch> scratch;  // of the workers; the right side is in that of the first
  scratch.resize(std::max(scratch.size(), static_cast<std::size_t>(threads())));
  for (auto& one : scratch) reserve_left(one, k);
  reserve_right(scratch.front(), n, k);
  std::vector<TileScratch>& all = scratch;  // the workers have thread-local ones of their own
  product(m, n, k, a, b, c, c_stride, aligned(all.front().right), [&all](int count, const auto& body) {
    parallel_for_worker(count, [&](int i, int worker) {
      if (tiles_usable()) begin_tiles();
      body(i, aligned(all[static_cast<std::size_t>(worker)].left));
      if (tiles_usable()) end_tiles();
    });
  });
}

void tile_product_here(int m, int n, int k, TileOperand a, TileOperand b, float* c, std::ptrdiff_t c_stride,
                       TileScratch& scratch) {
  scratch.reserve(n, k);
  if (tiles_usable()) begin_tiles();
  product(m, n, k, a, b, c, c_stride, aligned(scratch.right), [&](int count, const auto& body) {
    for (int i = 0; i < count; ++i) body(i, aligned(scratch.left));
  });
  if (tiles_usable()) end_tiles();
}

#else

bool tiles_usable() { return false; }
bool bfloat_products_usable() { return false; }
void begin_tiles() {}
void end_tiles() {}

void TileScratch::reserve(int, int) {}

void tile_product(int m, int n, int k, TileOperand a, TileOperand b, float* c, std::ptrdiff_t c_stride) {
  reference::tile_product(m, n, k, a, b, c, c_stride);
}

void tile_product_here(int m, int n, int k, TileOperand a, TileOperand b, float* c, std::ptrdiff_t c_stride, TileScratch&) {
  reference::tile_product(m, n, k, a, b, c, c_stride);
}

#endif

}  // namespace revisit::tensor

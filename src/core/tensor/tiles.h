// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Matrix products of bfloat16 values with f32 sums, on tile registers (AMX) or vectors (AVX-512 BF16), whichever the processor has:
// several times the rate of f32, for training, which does not need the digits.
#pragma once

#include <cstddef>
#include <vector>

namespace revisit::tensor {

/// Whether this processor has tiles and the system lets this process use them. Asks once.
bool tiles_usable();

/// Whether the products below have instructions of this processor, tiles or vectors. Asks once.
bool bfloat_products_usable();

/// Around what a thread does with tiles: all eight are 16 rows of 64 bytes. Only where tiles_usable().
void begin_tiles();
void end_tiles();

/// A matrix of f32 in memory. `transposed`: what lies there row by row is its transpose.
struct TileOperand {
  const float* data = nullptr;
  std::ptrdiff_t stride = 0;  // between the rows in memory
  bool transposed = false;
};

/// Memory for one caller of tile_product_here. It grows as needed; inside a parallel region, where nothing may throw, it has to
/// be reserved before.
struct TileScratch {
  /// For products with up to n columns over up to k values.
  void reserve(int n, int k);
  std::vector<std::byte> left, right;
};

/// c (m, n) = a (m, k) b (k, n), the values of a and b rounded to bfloat16, on the whole team. Only where
/// bfloat_products_usable().
void tile_product(int m, int n, int k, TileOperand a, TileOperand b, float* c, std::ptrdiff_t c_stride);

/// The same on the calling thread alone, for use inside a parallel region.
void tile_product_here(int m, int n, int k, TileOperand a, TileOperand b, float* c, std::ptrdiff_t c_stride,
                       TileScratch& scratch);

namespace reference {
/// x as bfloat16, the nearest, to even.
float to_bfloat(float x);
/// The product in plain loops with double sums.
void tile_product(int m, int n, int k, TileOperand a, TileOperand b, float* c, std::ptrdiff_t c_stride);
}  // namespace reference

}  // namespace revisit::tensor

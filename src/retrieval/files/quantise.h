// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Rows as int8 and queries as int16, each with its error, so that every estimate comes with a guaranteed bound:
//   x = s c + e,  q = t d + f   (c, d integers)
//   |<q, x> - s t <d, c>|  <=  |q| |e| + |f| |s c|      (Cauchy-Schwarz twice)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace revisit::retrieval {

/// Precedes the codes of a row in codes.i8.
struct CodeRow {
  float scale = 0;          ///< s
  float residual = 0;       ///< at least |e|, rounded up
  double squared_norm = 0;  ///< |x|^2
};
static_assert(sizeof(CodeRow) == 16);

/// codes has at least x.size() elements; the rest are set to 0. Codes lie in -127..127.
CodeRow quantise_row(std::span<const float> x, std::span<std::int8_t> codes);

/// |x - s c| of given codes, in double.
double residual_norm(std::span<const float> x, const CodeRow& row, const std::int8_t* codes);

struct QueryCodes {
  double scale = 1;         ///< t
  double residual = 0;      ///< at least |f|
  double squared_norm = 0;  ///< |q|^2
};

/// 16 bits cost the kernel nothing and leave |f| far below |e|; t is chosen so that <d, c> fits 32 bits for any codes.
QueryCodes quantise_query(std::span<const float> q, std::span<std::int16_t> codes);

/// Bounds of the squared distance |q - x|^2 given the integer product <d, c>.
struct Estimate {
  double middle;
  double lower;
};

inline Estimate estimate(const QueryCodes& q, double q_norm, const CodeRow& x, double x_norm, std::int32_t product) {
  // 1e-9 and 1e-12 exceed the rounding of these lines by orders of magnitude.
  const double dot = q.scale * static_cast<double>(x.scale) * product;
  const double squares = q.squared_norm + x.squared_norm;
  const double residual = static_cast<double>(x.residual);
  const double error = (q_norm * residual + q.residual * (x_norm + residual)) * (1 + 1e-9);
  const double middle = squares - 2 * dot;
  return {middle, middle - 2 * error - 1e-12 * squares};
}

}  // namespace revisit::retrieval

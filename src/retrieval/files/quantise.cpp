// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Plain loops: quantising is a small part of adding a photo, and of a search.
#include "retrieval/files/quantise.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace revisit::retrieval {
namespace {

constexpr double kCodeMax = 127;
constexpr double kQueryMax = 32'767;

struct Extent {
  double largest = 0;
  double squares = 0;
};

Extent extent_of(std::span<const float> x) {
  Extent out;
  for (const float v : x) {
    const double value = v;
    out.largest = std::max(out.largest, std::abs(value));
    out.squares += value * value;
  }
  return out;
}

// Up to the next float, past the rounding of a double sum.
float rounded_up(double value) {
  const auto out = static_cast<float>(value * (1 + 1e-6));
  return std::nextafter(out, std::numeric_limits<float>::infinity());
}

// To the nearest whole number within the limit. A NaN (damaged row) becomes 0; its residual, also NaN, makes the
// search compare the row in any case.
double nearest_code(double value, double limit) {
  if (std::isnan(value)) return 0;
  const double within = std::clamp(value, -limit, limit);
  return within < 0 ? within - 0.5 : within + 0.5;
}

}  // namespace

CodeRow quantise_row(std::span<const float> x, std::span<std::int8_t> codes) {
  const Extent extent = extent_of(x);
  CodeRow row;
  row.squared_norm = extent.squares;
  row.scale = static_cast<float>(extent.largest / kCodeMax);
  const double inverse = row.scale > 0 ? 1.0 / static_cast<double>(row.scale) : 0.0;
  std::fill(codes.begin(), codes.end(), std::int8_t{0});
  for (std::size_t i = 0; i < x.size(); ++i) {
    codes[i] = static_cast<std::int8_t>(nearest_code(static_cast<double>(x[i]) * inverse, kCodeMax));
  }
  row.residual = rounded_up(residual_norm(x, row, codes.data()));
  return row;
}

double residual_norm(std::span<const float> x, const CodeRow& row, const std::int8_t* codes) {
  const double scale = row.scale;
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double lost = static_cast<double>(x[i]) - scale * codes[i];
    squares += lost * lost;
  }
  return std::sqrt(squares);
}

QueryCodes quantise_query(std::span<const float> q, std::span<std::int16_t> codes) {
  const Extent extent = extent_of(q);
  QueryCodes query;
  query.squared_norm = extent.squares;
  // |<d, c>| <= |d| |c| <= (|q| / t + sqrt(n) / 2) * 127 sqrt(n) must stay below 2^31.
  const double root = std::sqrt(static_cast<double>(q.size()));
  const double longest = 2'147'483'000.0 / (kCodeMax * root) - 0.5 * root;
  const double scale = std::max(extent.largest / kQueryMax, std::sqrt(extent.squares) / longest);
  if (scale > 0) query.scale = scale;
  std::fill(codes.begin(), codes.end(), std::int16_t{0});
  double lost_squares = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double value = q[i];
    codes[i] = static_cast<std::int16_t>(nearest_code(value / query.scale, kQueryMax));
    const double lost = value - query.scale * codes[i];
    lost_squares += lost * lost;
  }
  query.residual = std::sqrt(lost_squares) * (1 + 1e-9);
  return query;
}

}  // namespace revisit::retrieval

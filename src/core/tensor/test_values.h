// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Random values for tests of kernels, and how far a result is from its reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/tensor/matrix.h"

namespace revisit::tensor {

struct Random {
  std::mt19937 engine{7};
  float value(float scale = 1) { return scale * std::normal_distribution<float>()(engine); }
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine); }
  std::vector<float> values(int count, float scale = 1) {
    std::vector<float> out(static_cast<std::size_t>(count));
    for (float& v : out) v = value(scale);
    return out;
  }
};

inline Matrix view(std::vector<float>& values, int rows, int cols) { return {values.data(), rows, cols, cols}; }

/// Largest difference relative to the largest value of the reference, or to `floor` where all values are smaller.
inline double relative_error(const std::vector<float>& got, const std::vector<float>& want, double floor = 1e-6) {
  double worst = 0;
  double scale = floor;
  for (std::size_t i = 0; i < want.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(got[i]) - static_cast<double>(want[i])));
    scale = std::max(scale, std::abs(static_cast<double>(want[i])));
  }
  return worst / scale;
}

inline constexpr double kTolerance = 1e-5;

}  // namespace revisit::tensor

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Channels in parallel: each sums over all cells in their order.
#include "engine/aggregate/generalised_mean.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/fail.h"
#include "core/tensor/parallel.h"

namespace revisit::aggregate {
namespace {

constexpr float kLeast = 1e-6F;
constexpr int kTogether = 64;  // channels

/// to[c] += times * max(x[c], least)^p for some channels.
void add_powers(const float* x, int count, double exponent, double times, double* to) {
  for (int c = 0; c < count; ++c) {
    const double value = std::max(x[c], kLeast);
    to[c] += times * (exponent == 3 ? value * value * value : std::pow(value, exponent));
  }
}

}  // namespace

void generalised_mean(tensor::ConstMatrix cells, std::span<const float> mass, double exponent, float* out) {
  double all = mass.empty() ? cells.rows : 0;
  for (const float one : mass) all += one;
  tensor::parallel_for((cells.cols + kTogether - 1) / kTogether, [&](int group) {
    const int first = group * kTogether, count = std::min(kTogether, cells.cols - first);
    std::array<double, kTogether> sums{};
    for (int r = 0; r < cells.rows; ++r) {
      add_powers(cells.row(r) + first, count, exponent, mass.empty() ? 1 : mass[static_cast<std::size_t>(r)], sums.data());
    }
    for (int c = 0; c < count; ++c) {
      const double mean = sums[static_cast<std::size_t>(c)] / all;
      out[first + c] = static_cast<float>(exponent == 3 ? std::cbrt(mean) : std::pow(mean, 1 / exponent));
    }
  });
}

double gem_exponent(const model::LoadedModel& model, const std::string& tensor) {
  const double exponent = *model.weights.f32_data(tensor, 1);
  if (!(exponent > 0 && exponent < 1000)) {
    fail(ErrorCode::kBadModel, "the exponent '{}' of the model's generalised mean is {}, outside 0 to 1000", tensor, exponent);
  }
  return exponent;
}

}  // namespace revisit::aggregate

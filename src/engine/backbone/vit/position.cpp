// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Separable cubic resampling. Each rule differs only in the taps it gives an output position:
//   plain       A = -0.75, four taps, borders clamped; hub scales by (out + 0.1) / in, Hugging Face by out / in
//   antialiased A = -0.5, support widened by the reduction, weights renormalised inside the table
#include "engine/backbone/vit/position.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace revisit::vit {
namespace {

struct Taps {
  int first = 0;
  std::vector<double> weights;  // of table positions first, first + 1, ...
};

// Keys' cubic convolution kernel with parameter a.
double cubic(double x, double a) {
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

Taps plain_taps(int out, int in, double ratio) {
  const double source = (out + 0.5) * ratio - 0.5;
  const double base = std::floor(source);
  Taps taps;
  taps.first = std::clamp(static_cast<int>(base) - 1, 0, in - 1);
  for (int k = -1; k <= 2; ++k) {
    const int at = std::clamp(static_cast<int>(base) + k, 0, in - 1);
    const auto slot = static_cast<std::size_t>(at - taps.first);
    if (taps.weights.size() <= slot) taps.weights.resize(slot + 1, 0.0);
    taps.weights[slot] += cubic(source - (base + k), -0.75);
  }
  return taps;
}

Taps antialiased_taps(int out, int in, double ratio) {
  const double stretch = std::max(ratio, 1.0);
  const double support = 2.0 * stretch;
  const double centre = (out + 0.5) * ratio;
  Taps taps;
  taps.first = std::max(static_cast<int>(centre - support + 0.5), 0);
  const int end = std::min(static_cast<int>(centre + support + 0.5), in);
  double sum = 0;
  for (int at = taps.first; at < end; ++at) {
    taps.weights.push_back(cubic((at - centre + 0.5) / stretch, -0.5));
    sum += taps.weights.back();
  }
  for (double& weight : taps.weights) weight /= sum;
  return taps;
}

std::vector<Taps> axis_taps(int out_size, int in_size, model::PosRule rule) {
  const double offset = rule == model::PosRule::kHub ? 0.1 : 0.0;
  const double ratio = in_size / (out_size + offset);
  const bool antialias = rule == model::PosRule::kHubAntialias || rule == model::PosRule::kTimm;
  std::vector<Taps> taps;
  for (int i = 0; i < out_size; ++i)
    taps.push_back(antialias ? antialiased_taps(i, in_size, ratio) : plain_taps(i, in_size, ratio));
  return taps;
}

}  // namespace

std::vector<float> resample_positions(const float* table, int from_rows, int from_cols, int dim, int to_rows, int to_cols,
                                      model::PosRule rule) {
  const auto channels = static_cast<std::size_t>(dim);
  const auto wide = static_cast<std::size_t>(from_cols) * channels;
  if (from_rows == to_rows && from_cols == to_cols) return {table, table + static_cast<std::size_t>(from_rows) * wide};

  const auto row_taps = axis_taps(to_rows, from_rows, rule);
  const auto col_taps = axis_taps(to_cols, from_cols, rule);
  std::vector<float> out(static_cast<std::size_t>(to_rows) * static_cast<std::size_t>(to_cols) * channels);
  std::vector<double> line(wide);  // one output row before the columns are resampled
  std::vector<double> cell(channels);
  for (int y = 0; y < to_rows; ++y) {
    const Taps& vertical = row_taps[static_cast<std::size_t>(y)];
    std::fill(line.begin(), line.end(), 0.0);
    for (std::size_t k = 0; k < vertical.weights.size(); ++k) {
      const float* from = table + (static_cast<std::size_t>(vertical.first) + k) * wide;
      for (std::size_t i = 0; i < wide; ++i) line[i] += vertical.weights[k] * from[i];
    }
    for (int x = 0; x < to_cols; ++x) {
      const Taps& horizontal = col_taps[static_cast<std::size_t>(x)];
      std::fill(cell.begin(), cell.end(), 0.0);
      for (std::size_t k = 0; k < horizontal.weights.size(); ++k) {
        const double* from = line.data() + (static_cast<std::size_t>(horizontal.first) + k) * channels;
        for (std::size_t c = 0; c < channels; ++c) cell[c] += horizontal.weights[k] * from[c];
      }
      float* to = out.data() + static_cast<std::size_t>(y * to_cols + x) * channels;
      std::transform(cell.begin(), cell.end(), to, [](double v) { return static_cast<float>(v); });
    }
  }
  return out;
}

}  // namespace revisit::vit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Columns first, then rows; each by weighted sums of the source.
#include "engine/extract/resize_planes.h"

#include <algorithm>
#include <cmath>

#include "core/tensor/parallel.h"

namespace revisit {
namespace {

/// Where a result comes from along one side.
struct Source {
  int first;
  std::vector<double> weights;  // they sum to 1
};

/// A triangle as wide as a cell of the larger grid, cut off at the edges.
std::vector<Source> sources(int from, int to) {
  const double scale = static_cast<double>(from) / to, reach = std::max(scale, 1.0);
  std::vector<Source> out;
  for (int i = 0; i < to; ++i) {
    const double centre = (i + 0.5) * scale;
    Source& source = out.emplace_back();
    source.first = std::max(0, static_cast<int>(centre - reach + 0.5));
    const int last = std::min(from, static_cast<int>(centre + reach + 0.5));
    double sum = 0;
    for (int x = source.first; x < last; ++x) {
      source.weights.push_back(std::max(0.0, 1 - std::abs(x + 0.5 - centre) / reach));
      sum += source.weights.back();
    }
    for (double& weight : source.weights) weight /= sum;
  }
  return out;
}

}  // namespace

std::vector<float> planes_resized(std::span<const float> planes, Size from, Size to) {
  const auto columns = sources(from.width, to.width), rows = sources(from.height, to.height);
  const auto width = static_cast<std::size_t>(to.width), height = static_cast<std::size_t>(to.height);
  const auto source_width = static_cast<std::size_t>(from.width);
  std::vector<float> narrow(3 * static_cast<std::size_t>(from.height) * width), out(3 * height * width);
  tensor::parallel_for(3 * from.height, [&](int line) {
    const float* source = planes.data() + static_cast<std::size_t>(line) * source_width;
    for (std::size_t x = 0; x < width; ++x) {
      double sum = 0;
      for (std::size_t k = 0; k < columns[x].weights.size(); ++k) {
        sum += columns[x].weights[k] * source[static_cast<std::size_t>(columns[x].first) + k];
      }
      narrow[static_cast<std::size_t>(line) * width + x] = static_cast<float>(sum);
    }
  });
  tensor::parallel_for(3 * to.height, [&](int line) {
    const auto y = static_cast<std::size_t>(line) % height, plane = static_cast<std::size_t>(line) / height;
    const std::size_t top = plane * static_cast<std::size_t>(from.height) + static_cast<std::size_t>(rows[y].first);
    for (std::size_t x = 0; x < width; ++x) {
      double sum = 0;
      for (std::size_t k = 0; k < rows[y].weights.size(); ++k) sum += rows[y].weights[k] * narrow[(top + k) * width + x];
      out[static_cast<std::size_t>(line) * width + x] = static_cast<float>(sum);
    }
  });
  return out;
}

}  // namespace revisit

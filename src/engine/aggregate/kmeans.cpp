// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// k-means++ and Lloyd's algorithm on tensor::Linear.
#include "engine/aggregate/kmeans.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "engine/aggregate/vlad.h"
#include "core/base/random.h"
#include "core/tensor/parallel.h"

namespace revisit::aggregate {
namespace {

float square_distance(const float* a, const float* b, int dim) {
  float sum = 0;
  for (int c = 0; c < dim; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

// Each next centre is drawn with a chance proportional to its squared distance from those chosen so far.
std::vector<float> start(tensor::ConstMatrix points, int clusters, SplitMix& random) {
  const int dim = points.cols;
  std::vector<float> centres;
  std::vector<float> nearest(static_cast<std::size_t>(points.rows), std::numeric_limits<float>::max());
  int chosen = static_cast<int>(random.below(static_cast<std::uint64_t>(points.rows)));
  for (int k = 0; k < clusters; ++k) {
    const float* centre = points.row(chosen);
    centres.insert(centres.end(), centre, centre + dim);
    tensor::parallel_for(points.rows, [&](int r) {
      float& best = nearest[static_cast<std::size_t>(r)];
      best = std::min(best, square_distance(points.row(r), centre, dim));
    });
    double total = 0;
    for (const float d : nearest) total += d;
    double target = random.uniform() * total;
    for (chosen = 0; chosen + 1 < points.rows; ++chosen) {
      target -= nearest[static_cast<std::size_t>(chosen)];
      if (target < 0) break;
    }
  }
  return centres;
}

}  // namespace

KMeans fit_kmeans(tensor::ConstMatrix points, int clusters, std::uint64_t seed, int max_rounds) {
  const int dim = points.cols;
  SplitMix random(seed);
  tensor::Arena arena;
  KMeans out;
  out.centres = start(points, clusters, random);
  std::vector<int> assigned(static_cast<std::size_t>(points.rows), -1);
  std::vector<int> before;
  for (out.rounds = 0; out.rounds < max_rounds; ++out.rounds) {
    before = assigned;
    arena.reset();
    NearestCentre(out.centres.data(), clusters, dim)(points, assigned.data(), arena);
    if (assigned == before) break;

    std::vector<double> sums(static_cast<std::size_t>(clusters) * static_cast<std::size_t>(dim), 0.0);
    std::vector<int> counts(static_cast<std::size_t>(clusters), 0);
    int farthest = 0;
    float farthest_distance = -1;
    double total = 0;
    for (int r = 0; r < points.rows; ++r) {
      const int k = assigned[static_cast<std::size_t>(r)];
      const float distance = square_distance(points.row(r), out.centres.data() + static_cast<std::ptrdiff_t>(k) * dim, dim);
      total += distance;
      if (distance > farthest_distance) farthest = r, farthest_distance = distance;
      ++counts[static_cast<std::size_t>(k)];
      double* sum = sums.data() + static_cast<std::ptrdiff_t>(k) * dim;
      for (int c = 0; c < dim; ++c) sum[c] += points.row(r)[c];
    }
    out.mean_square_distance = total / points.rows;
    for (int k = 0; k < clusters; ++k) {
      float* centre = out.centres.data() + static_cast<std::ptrdiff_t>(k) * dim;
      const int count = counts[static_cast<std::size_t>(k)];
      for (int c = 0; c < dim; ++c) {
        centre[c] = count > 0 ? static_cast<float>(sums[static_cast<std::size_t>(k * dim + c)] / count) : points.row(farthest)[c];
      }
    }
  }
  return out;
}

}  // namespace revisit::aggregate

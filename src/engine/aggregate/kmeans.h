// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Seeded k-means: a vocabulary from a sample of tokens.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor/arena.h"
#include "core/tensor/matrix.h"

namespace revisit::aggregate {

struct KMeans {
  std::vector<float> centres;      // (clusters, D)
  int rounds = 0;                  // until no point changed its centre, or the limit
  double mean_square_distance = 0;
};

/// points is (n, D) dense with n >= clusters. k-means++ start, then Lloyd's rounds. The same seed gives the same centres;
/// a centre that loses all its points moves to the point farthest from its own.
KMeans fit_kmeans(tensor::ConstMatrix points, int clusters, std::uint64_t seed, int max_rounds = 100);

}  // namespace revisit::aggregate

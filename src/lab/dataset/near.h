// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Which references lie within a distance of each query, found through a hash of grid cells instead of by comparing all pairs.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/limits.h"
#include "revisit/lab/dataset.h"

namespace revisit::dataset {

enum class Metric {
  kPlane,      ///< metres east and north, as the usual tools do
  kEllipsoid,  ///< along the ground; every position must be geographic
};

/// Per query the ascending indices of the references at most threshold_m away; photos without a position have none. Throws Error
/// kUsage for a threshold that is negative or not finite, kLimit beyond limits::kMaxPositives pairs, or when more than most_pairs
/// would have to be checked.
std::vector<std::vector<int>> positives_within(const std::vector<Photo>& queries, const std::vector<Photo>& references,
                                               double threshold_m, Metric metric,
                                               std::uint64_t most_pairs = limits::kMaxNearPairs);

}  // namespace revisit::dataset

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The loop over many photos: the next one is decoded while one is described, by one describer or by several in turn.
#pragma once

#include <functional>

#include "revisit/ingest.h"

namespace revisit {

inline double forward_ms(const StageTimes& times) { return times.blocks_ms + times.prune_ms + times.aggregate_ms; }

/// The value with this share of all values below it, 0 for no values; reorders them.
double quantile(std::vector<double>& values, double share);

struct Describer {
  int dim;  ///< values per row
  std::function<std::vector<float>(const Image& image, StageTimes& times)> describe;
};

/// As describe_photos; one result per describer.
std::vector<DescribedPhotos> describe_each(const std::vector<Photo>& photos, Orientation orientation,
                                           const std::vector<Describer>& describers,
                                           const std::function<bool(int, int)>& progress);

}  // namespace revisit

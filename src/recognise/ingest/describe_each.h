// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The loop over many photos: later ones are loaded while one is described, by one describer or by several in turn. One alone
// describes one photo per thread where that is faster.
#pragma once

#include <functional>

#include "recognise/ingest/crew.h"
#include "revisit/ingest.h"

namespace revisit {

inline double forward_ms(const StageTimes& times) {
  return times.blocks_ms + times.prune_ms + times.aggregate_ms + times.local_ms;
}

/// The value with this share of all values below it, 0 for no values; reorders them.
double quantile(std::vector<double>& values, double share);

/// As describe_photos; one result per describer, of which there must be at least one.
std::vector<DescribedPhotos> describe_each(const std::vector<Photo>& photos, const DecodeOptions& decoding,
                                           const std::vector<Describer>& describers,
                                           const std::function<bool(int, int)>& progress, bool local = false);

}  // namespace revisit

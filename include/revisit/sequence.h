// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Photos of a drive: matches of consecutive frames support each other.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "revisit/ingest.h"
#include "revisit/photos.h"

namespace revisit {

inline constexpr int kMaxSequence = 100;        ///< frames that may support each other
inline constexpr int kSequenceCandidates = 50;  ///< matches of each frame that are weighed against each other

/// Throws Error kUsage for a number of frames outside 0..kMaxSequence.
void check_sequence(int frames);

/// Orders the matches of each query anew by what the `frames` - 1 queries before it found, and keeps the best `top_k` of each.
/// They keep their similarity. Returns the support of each match: the belief, 0 to 1, that the camera is at its place. Queries
/// are taken in order of time if all have one, else as they come; references are photos of drives in the order of their rows, or
/// stand where their positions say if all have one. Matches should reach down to kSequenceCandidates.
std::vector<std::vector<double>> follow_sequence(const DescribedPhotos& queries, const DescribedPhotos& references,
                                                 const std::vector<Photo>& query_photos,
                                                 const std::vector<Photo>& reference_photos, int frames, int top_k,
                                                 std::vector<std::vector<Match>>& matches);

}  // namespace revisit

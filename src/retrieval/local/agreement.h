// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Soft geometry: pairs of patches vote for one another.
#pragma once

#include <vector>

#include "revisit/local.h"

namespace revisit::retrieval {

/// The score of the pairs, and those of them that at least half as many support as support the best. Symbols: local.h.
SecondLook agreement_of(const LocalFeatures& query, const LocalFeatures& reference, std::vector<PatchPair> pairs);

}  // namespace revisit::retrieval

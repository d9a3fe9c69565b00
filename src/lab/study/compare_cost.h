// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What a descriptor costs: photos are decoded first and then described one after the other, so that no decoding thread takes time
// from the forward passes.
#pragma once

#include <vector>

#include "revisit/extractor.h"
#include "revisit/lab/compare.h"
#include "revisit/photos.h"

namespace revisit::study {

/// Of the first few photos that can be read. Throws Error kBadImage when none can.
CompareCost measure_cost(Extractor& extractor, const std::vector<Photo>& photos);

}  // namespace revisit::study

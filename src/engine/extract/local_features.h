// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The patches that are kept beside a descriptor, for a second look at matches.
#pragma once

#include "core/tensor/features.h"
#include "engine/aggregate/aggregator.h"
#include "revisit/image.h"
#include "revisit/local.h"

namespace revisit {

/// Of the patches in `features`, as the head was given them: the directions of the head's own features (WeiAD, SALAD), else of
/// the tokens, rounded to bytes. A patch's weight is the eighth root of its importance (WeiAD) or of its assigned mass (SALAD):
/// what the head leaves out of the descriptor, such as sky, hardly counts; without either all weigh the same. Of more than
/// LocalFeatures::kMostPatches patches the heaviest stay, or every so many of equal ones. The same bits for any number of
/// threads.
LocalFeatures local_features(const tensor::Features& features, const aggregate::HeadTrace& head, Size grid);

}  // namespace revisit

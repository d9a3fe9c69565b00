// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Photos made small.
#pragma once

#include <optional>

#include "revisit/lab/dataset.h"
#include "revisit/image.h"

namespace revisit::report {

/// The photo with its aspect ratio kept, as large as fits into width x height; never enlarged unless `enlarge`.
/// Empty when it cannot be read: describing it has already reported why.
std::optional<Image> load_fitting(const Photo& photo, Orientation orientation, int width, int height, bool enlarge = false);

}  // namespace revisit::report

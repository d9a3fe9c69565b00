// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What every measurement of time needs.
#pragma once

#include <vector>

#include "revisit/image.h"

namespace revisit {

/// A tensor (3, H, W) to describe for its time: its values are spread like those of a photo.
std::vector<float> timing_tensor(Size size);

/// The value with this share of all values below it; there must be one.
double timing_quantile(std::vector<double> values, double share);

}  // namespace revisit

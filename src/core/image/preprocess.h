// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// From pixels to the numbers a network reads.
#pragma once

#include <array>

#include "revisit/image.h"

namespace revisit {

/// Writes float32 planes (3, height, width): (u8 / 255 - mean) / std, each step rounded to float32 as
/// torchvision's ToTensor and Normalize do. `out` has room for 3 * height * width values.
void normalise_to_planes(const Image& image, const std::array<float, 3>& mean, const std::array<float, 3>& std, float* out);

}  // namespace revisit

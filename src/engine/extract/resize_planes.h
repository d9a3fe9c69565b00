// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Resizing of a tensor that was normalised already.
#pragma once

#include <span>
#include <vector>

#include "revisit/image.h"

namespace revisit {

/// (3, from) to (3, to): bilinear with antialiasing, as torchvision resizes tensors.
std::vector<float> planes_resized(std::span<const float> planes, Size from, Size to);

}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Where a picture taken by day shows sky: a darkened picture only looks like night if its sky is darker than the houses.
#pragma once

#include <vector>

#include "revisit/image.h"

namespace revisit::augment {

/// Per pixel from 0 (something) to 1 (sky), soft at the border. Sky is bright, no warmer than gray, and can be reached from the
/// top of the picture without crossing an edge. A dark or warm sky is not found, nor is sky seen through a tree.
std::vector<float> find_sky(const Image& image);

}  // namespace revisit::augment

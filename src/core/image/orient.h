// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Turning a picture upright.
#pragma once

#include "revisit/image.h"

namespace revisit {

/// Undoes EXIF orientation 1..8; any other value counts as 1 (nothing to do). 5..8 swap width and height.
Image make_upright(Image image, int orientation);

}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The check every function makes that takes an Image from a caller.
#pragma once

#include "core/base/fail.h"
#include "revisit/image.h"

namespace revisit {

/// Throws kUsage unless the image has at least one pixel and exactly 3 bytes for each.
inline void check_pixels(const Image& image, const char* who) {
  const bool sized = image.width > 0 && image.height > 0;
  if (!sized ||
      image.rgb.size() != std::size_t{3} * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height)) {
    fail(ErrorCode::kUsage, "{} got an image of {} x {} pixels with {} bytes", who, image.width, image.height, image.rgb.size());
  }
}

}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Decoding again is cheap next to describing, and keeps no pixels in memory meanwhile.
#include "lab/report/thumbnail.h"

#include "core/base/or_skip.h"

#include <algorithm>
#include <cmath>

namespace revisit::report {

std::optional<Image> load_fitting(const Photo& photo, Orientation orientation, int width, int height, bool enlarge) {
  DecodeOptions options;
  options.orientation = orientation;
  Image image;
  if (or_skip(photo.path, [&] { image = load_image(photo.path, options); })) return std::nullopt;
  const double fit = std::min(static_cast<double>(width) / image.width, static_cast<double>(height) / image.height);
  if (fit > 1 && !enlarge) return image;
  const auto side = [&](int pixels) { return std::max(1, static_cast<int>(std::lround(fit * pixels))); };
  return resize(image, {side(image.height), side(image.width)}, ResizeFilter::kBilinear);
}

}  // namespace revisit::report

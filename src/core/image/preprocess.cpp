// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Normalisation by table: a channel has only 256 different values, so each is computed once.
#include "core/image/preprocess.h"

#include <cstddef>

#include "core/image/pixels.h"

namespace revisit {

void normalise_to_planes(const Image& image, const std::array<float, 3>& mean, const std::array<float, 3>& std, float* out) {
  check_pixels(image, "normalise_to_planes");
  const std::size_t plane = image.rgb.size() / 3;
  for (std::size_t c = 0; c < 3; ++c) {
    ::std::array<float, 256> table;
    for (std::size_t v = 0; v < table.size(); ++v) table[v] = (static_cast<float>(v) / 255.0F - mean[c]) / std[c];
    const std::uint8_t* in = image.rgb.data() + c;
    float* to = out + c * plane;
    for (std::size_t i = 0; i < plane; ++i) to[i] = table[in[3 * i]];
  }
}

}  // namespace revisit

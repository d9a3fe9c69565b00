// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The smallest blur: along a line, each value gives a share of itself to both neighbours. The sum is preserved.
#pragma once

#include <cstddef>

namespace revisit::augment {

inline void soften_line(float* at, std::size_t length, std::size_t step, float share) {
  float before = *at;
  for (std::size_t i = 0; i < length; ++i, at += step) {
    const float here = *at, after = i + 1 < length ? at[step] : here;
    *at = here + share * (before + after - 2 * here);
    before = here;
  }
}

/// Both ways over `channels` interleaved planes of a picture.
inline void soften(float* values, std::size_t width, std::size_t height, std::size_t channels, float share) {
  const std::size_t stride = channels * width;
  for (std::size_t row = 0; row < height; ++row) {
    for (std::size_t c = 0; c < channels; ++c) soften_line(values + row * stride + c, width, channels, share);
  }
  for (std::size_t column = 0; column < stride; ++column) soften_line(values + column, height, stride, share);
}

}  // namespace revisit::augment

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The rotation is its own inverse.
#include "core/tensor/byte_weights.h"

#include <algorithm>
#include <cmath>

#include "core/tensor/narrow_rows.h"
#include "core/tensor/parallel.h"

namespace revisit::tensor {

float quantise_weights(const float* rotated, int count, int most_pair, std::int8_t* to) {
  float highest = 0;
  for (int i = 0; i < count; ++i) highest = std::max(highest, std::abs(rotated[i]));
  for (int i = 0; i + 1 < count; i += 2)  // rounding adds up to one to a pair
    highest = std::max(highest, std::abs(rotated[i] + rotated[i + 1]) * 127 / static_cast<float>(most_pair - 1));
  const float scale = highest / 127 > 0 ? highest / 127 : 1.0F;
  for (int i = 0; i < count; ++i) {
    const float exact = rotated[i] / scale;
    // Beyond 127 only where the scale is a denormal number.
    to[i] = static_cast<std::int8_t>(std::isfinite(exact) ? std::clamp(std::nearbyint(exact), -127.0F, 127.0F) : 0.0F);
  }
  return scale;
}

void to_bytes(const float* weight, int in, int out, std::int8_t* values, float* scales) {
  parallel_for(out, [&](int o) {
    const std::ptrdiff_t start = std::ptrdiff_t{o} * in;
    std::vector<float> rotated(static_cast<std::size_t>(in));
    rotate_row(weight + start, in, rotated.data());
    scales[o] = quantise_weights(rotated.data(), in, kAnyPair, values + start);
  });
}

std::vector<float> to_floats(const ByteWeights& weight, int in, int out) {
  std::vector<float> floats(static_cast<std::size_t>(in) * static_cast<std::size_t>(out));
  parallel_for(out, [&](int o) {
    const std::ptrdiff_t start = std::ptrdiff_t{o} * in;
    const std::int8_t* from = weight.values + start;
    std::transform(from, from + in, floats.data() + start,
                   [&](std::int8_t q) { return weight.scales[o] * static_cast<float>(q); });
    rotate_row(floats.data() + start, in, floats.data() + start);
  });
  return floats;
}

}  // namespace revisit::tensor

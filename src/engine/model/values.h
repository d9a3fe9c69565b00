// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Tensor values as f32 in pieces that fit a cache, so that walking a large tensor needs no copy of it.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "core/base/stop_scope.h"
#include "engine/model/weights.h"

namespace revisit::model {

/// Calls visit(std::span<const float>) over all values in order. Works on bytes of any alignment.
template <typename Visit>
void for_each_chunk(const TensorView& tensor, Visit&& visit) {
  constexpr std::int64_t kChunk = 16'384;
  const std::int64_t count = tensor.count();
  std::vector<float> buffer;
  for (std::int64_t begin = 0; begin < count; begin += kChunk) {
    check_stop();
    const std::int64_t length = std::min(kChunk, count - begin);
    const std::byte* data = tensor.data + static_cast<std::size_t>(begin) * bytes_of(tensor.dtype);
    buffer = to_f32(TensorView{tensor.dtype, {length}, data});
    visit(std::span<const float>(buffer));
  }
}

/// Whether two shapes agree but for dimensions of 1 (SALAD's 1x1 convolutions, scalars stored as [1]).
inline bool same_but_ones(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  auto squeezed = [](std::vector<std::int64_t> shape) {
    std::erase(shape, 1);
    return shape;
  };
  return squeezed(a) == squeezed(b);
}

}  // namespace revisit::model

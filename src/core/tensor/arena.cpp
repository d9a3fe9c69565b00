// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Bump allocation over a list of chunks.
#include "core/tensor/arena.h"

#include <algorithm>

namespace revisit::tensor {
namespace {
constexpr std::size_t kAlign = 16;            // floats, 64 bytes
constexpr std::size_t kMinChunk = 1U << 18U;  // floats, 1 MB
}  // namespace

Arena::Chunk Arena::make_chunk(std::size_t size) { return {big_buffer(size), size}; }

float* Arena::floats(std::size_t count) {
  const std::size_t size = (std::max<std::size_t>(count, 1) + kAlign - 1) / kAlign * kAlign;
  while (current_ < chunks_.size() && used_ + size > chunks_[current_].size) {
    ++current_;
    used_ = 0;
  }
  if (current_ == chunks_.size()) chunks_.push_back(make_chunk(std::max(size, kMinChunk)));
  float* out = chunks_[current_].data.get() + used_;
  used_ += size;
  return out;
}

void Arena::reset() {
  if (chunks_.size() > 1) {
    std::size_t total = 0;
    for (const Chunk& chunk : chunks_) total += chunk.size;
    chunks_.clear();
    chunks_.push_back(make_chunk(total));
  }
  current_ = 0;
  used_ = 0;
}

std::size_t Arena::capacity_bytes() const {
  std::size_t total = 0;
  for (const Chunk& chunk : chunks_) total += chunk.size;
  return total * sizeof(float);
}

}  // namespace revisit::tensor

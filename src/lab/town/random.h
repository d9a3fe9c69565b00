// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Integer hashing and the town's random numbers. Only integer arithmetic and exact conversions: the standard library's
// distributions differ between implementations, these do not.
#pragma once

#include <cstdint>

#include "core/base/random.h"

namespace revisit::town {

constexpr std::uint64_t combine(std::uint64_t a, std::uint64_t b) { return scatter(a ^ scatter(b)); }

/// A cheap hash of a grid cell; called for every pixel.
constexpr std::uint32_t hash_cell(std::int32_t x, std::int32_t y, std::uint32_t seed) {
  std::uint32_t h = static_cast<std::uint32_t>(x) * 0x8da6b343U ^ static_cast<std::uint32_t>(y) * 0xd8163841U ^ seed;
  h = (h ^ (h >> 15)) * 0x2c1b3c6dU;
  h = (h ^ (h >> 12)) * 0x297a2d39U;
  return h ^ (h >> 15);
}

/// [0, 1), exact in float.
constexpr float to_unit(std::uint32_t h) { return static_cast<float>(h >> 8) * (1.0f / 16777216.0f); }

/// Two draws must never be arguments of one call or operands of one operator: compilers choose their order freely.
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(scatter(seed)) {}

  std::uint64_t bits() {
    state_ += kSplitMixStep;
    return scatter(state_);
  }
  std::uint32_t bits32() { return static_cast<std::uint32_t>(bits() >> 32); }
  float unit() { return to_unit(bits32()); }
  float range(float low, float high) { return low + (high - low) * unit(); }
  /// 0 .. count - 1
  int below(int count) {
    return static_cast<int>((static_cast<std::uint64_t>(bits32()) * static_cast<std::uint64_t>(count)) >> 32);
  }
  /// low .. high, both included
  int between(int low, int high) { return low + below(high - low + 1); }
  bool chance(float probability) { return unit() < probability; }

 private:
  std::uint64_t state_;
};

}  // namespace revisit::town

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A small generator whose numbers are the same on every machine.
#pragma once

#include <cstdint>

namespace revisit {

inline constexpr std::uint64_t kSplitMixStep = 0x9e3779b97f4a7c15ULL;

/// SplitMix64's step and output function: a bijection of 64-bit numbers that scatters neighbours.
constexpr std::uint64_t scatter(std::uint64_t x) {
  x += kSplitMixStep;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

/// SplitMix64: one 64-bit state, passes the usual tests, and any seed is a good seed.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    const std::uint64_t out = scatter(state_);
    state_ += kSplitMixStep;
    return out;
  }
  /// In [0, 1), 53 random bits.
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }
  /// In [0, n); the bias of at most n / 2^64 does not matter here.
  std::uint64_t below(std::uint64_t n) { return next() % n; }

 private:
  std::uint64_t state_;
};

}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A small generator whose numbers are the same on every machine.
#pragma once

#include <cstdint>

namespace revisit {

/// SplitMix64: one 64-bit state, passes the usual tests, and any seed is a good seed.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  /// In [0, 1), 53 random bits.
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }
  /// In [0, n); the bias of at most n / 2^64 does not matter here.
  std::uint64_t below(std::uint64_t n) { return next() % n; }

 private:
  std::uint64_t state_;
};

}  // namespace revisit

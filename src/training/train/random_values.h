// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Random values of a tensor, which depend only on the seed and the tensor's name.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "core/base/random.h"

namespace revisit::train {

class RandomValues {
 public:
  RandomValues(const std::string& name, std::uint64_t seed) : random_(scatter(seed) ^ scatter(hash_of(name))) {}

  /// In [-reach, reach).
  float uniform(double reach) { return static_cast<float>((2 * random_.uniform() - 1) * reach); }
  /// Normal, drawn again beyond two deviations.
  float truncated_normal(double deviation) {
    for (;;) {
      const double radius = std::sqrt(-2 * std::log(1 - random_.uniform()));
      const double value = radius * std::cos(2 * std::numbers::pi * random_.uniform());
      if (std::abs(value) <= 2) return static_cast<float>(deviation * value);
    }
  }

 private:
  /// FNV-1a: names differ in a few letters only, which scatter() then spreads.
  static std::uint64_t hash_of(const std::string& name) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return hash;
  }

  SplitMix random_;
};

inline std::size_t count_of(const std::vector<std::int64_t>& shape) {
  std::size_t count = 1;
  for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
  return count;
}

inline std::vector<float> normal_values(const std::string& name, std::size_t count, double deviation, std::uint64_t seed) {
  RandomValues random(name, seed);
  std::vector<float> out(count);
  for (float& value : out) value = random.truncated_normal(deviation);
  return out;
}

}  // namespace revisit::train

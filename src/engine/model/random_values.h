// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Seeded values for the tensors of random models.
//
// Value i of a tensor depends only on (seed, tensor name, i), so any number of threads gives the same bits on every
// machine: word w is splitmix64's output function at  start + (w + 1) * 0x9E3779B97F4A7C15, where start is the xxh3 of the
// name with the seed. Word w makes values 2w (its bits 63-40) and 2w + 1 (bits 39-16): 24 bits u stand for
// (2u + 1) / 2^24 - 1, which lies in (-1, 1) and is exact in f32.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "engine/model/shapes.h"

namespace revisit::model {

class Uniform {
 public:
  Uniform(const std::string& name, std::uint64_t seed);

  std::uint64_t word(std::uint64_t w) const { return scatter(start_ + w * kSplitMixStep); }
  static double even(std::uint64_t word) { return value(word >> 40); }
  static double odd(std::uint64_t word) { return value(word >> 16); }

  /// In (-1, 1), mean 0, variance 1/3.
  double operator()(std::uint64_t i) const { return i % 2 == 0 ? even(word(i / 2)) : odd(word(i / 2)); }

 private:
  static double value(std::uint64_t bits) {
    return static_cast<double>(2 * static_cast<std::int64_t>(bits & 0xFFFFFF) + 1) * 0x1p-24 - 1.0;
  }
  std::uint64_t start_;
};

/// values[i] = middle + reach * uniform(i).
void fill(std::vector<float>& values, const Uniform& uniform, double middle, double reach);

/// A layer's weight, with variance gain^2 / inputs, or its bias, which is small.
void fill_layer(std::vector<float>& values, const Uniform& uniform, const std::string& name, const Shape& shape, double gain = 1);

}  // namespace revisit::model

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Filling tensors, the large ones on two threads.
#include "engine/model/random_values.h"

#include <xxhash.h>

#include <cmath>
#include <thread>

namespace revisit::model {

Uniform::Uniform(const std::string& name, std::uint64_t seed) : start_(XXH3_64bits_withSeed(name.data(), name.size(), seed)) {}

void fill(std::vector<float>& values, const Uniform& uniform, double middle, double reach) {
  const auto run = [&](std::size_t begin, std::size_t end) {  // begin is even
    for (std::size_t i = begin; i < end; i += 2) {
      const std::uint64_t word = uniform.word(i / 2);
      values[i] = static_cast<float>(middle + reach * Uniform::even(word));
      if (i + 1 < end) values[i + 1] = static_cast<float>(middle + reach * Uniform::odd(word));
    }
  };
  if (values.size() < 200'000) return run(0, values.size());
  const std::size_t half = values.size() / 4 * 2;
  std::thread other(run, half, values.size());
  run(0, half);
  other.join();
}

void fill_layer(std::vector<float>& values, const Uniform& uniform, const std::string& name, const Shape& shape, double gain) {
  if (name.ends_with(".bias")) return fill(values, uniform, 0.0, 0.05);
  std::int64_t fan_in = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) fan_in *= shape[i];
  fill(values, uniform, 0.0, gain * std::sqrt(3.0 / static_cast<double>(fan_in)));
}

}  // namespace revisit::model

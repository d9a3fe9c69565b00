// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Random matrices and small random heads for the tests of this folder.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/tensor/features.h"
#include "engine/model/config.h"

namespace revisit::aggregate::testing {

inline std::vector<float> random_values(std::size_t count, std::mt19937& random, float spread = 1.0F) {
  std::normal_distribution<float> normal(0.0F, spread);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

inline tensor::ConstMatrix view(const std::vector<float>& values, int rows, int cols) {
  return {values.data(), rows, cols, cols};
}

/// Of rows of `width` values: CLS, then patches.
inline tensor::Features as_tokens(std::vector<float>& values, int width) {
  return tensor::Tokens{{values.data(), static_cast<int>(values.size()) / width, width, width}};
}

/// A model of token width 12 without a backbone: M clusters in tiers, all weights random.
inline model::LoadedModel random_head(const std::string& kind, const std::vector<int>& tiers, std::uint32_t seed = 1) {
  model::LoadedModel model;
  model.config.vit().width = 12;
  model.config.head.kind = kind;
  model::TransportHead& head = model.config.head.transport();
  head.tiers = tiers;
  for (const int size : tiers) head.clusters += size;
  head.cluster_dim = 7;
  head.token_dim = 5;
  head.hidden = 9;

  std::mt19937 random(seed);
  const auto add = [&](const std::string& name, std::vector<std::int64_t> shape) {
    std::int64_t count = 1;
    for (const std::int64_t side : shape) count *= side;
    model.weights.add_f32("aggregator." + name, std::move(shape), random_values(static_cast<std::size_t>(count), random, 0.5F));
  };
  const auto mlp = [&](const std::string& name, const char* second, int out) {
    add(name + ".0.weight", {head.hidden, 12});
    add(name + ".0.bias", {head.hidden});
    add(name + "." + second + ".weight", {out, head.hidden});
    add(name + "." + second + ".bias", {out});
  };
  mlp("token_features", "2", head.token_dim);
  mlp("cluster_features", "3", head.cluster_dim);
  mlp("score", "3", head.clusters);
  add("dust_bin", {});
  add("theta0", {});
  if (tiers.size() > 1) add("thetaD", {static_cast<std::int64_t>(tiers.size()) - 1});
  return model;
}

}  // namespace revisit::aggregate::testing

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Random heads of any family, maps for them, and the plain arithmetic in double that their tests compare with.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/aggregate/aggregator.h"
#include "engine/aggregate/test_support.h"
#include "engine/model/head_family.h"
#include "engine/model/random_values.h"

namespace revisit::aggregate::testing {

/// A model without a backbone whose head has these settings and random weights.
inline model::LoadedModel random_model(model::HeadConfig head, int width, std::uint64_t seed) {
  model::LoadedModel out;
  out.config.vit().width = width;
  out.config.head = std::move(head);
  const model::HeadFamily& family = out.config.head.family();
  model::Shapes shapes;
  family.add_tensors(out.config.head, width, shapes);
  for (const auto& [name, shape] : shapes) {
    std::size_t count = 1;
    for (const auto side : shape) count *= static_cast<std::size_t>(side);
    std::vector<float> values(count);
    family.fill_random(name, shape, model::Uniform(name, seed), values);
    out.weights.add_f32(name, shape, std::move(values));
  }
  return out;
}

/// A map of random cells.
struct RandomMap {
  RandomMap(int rows_, int columns_, int width_, std::uint32_t seed) : rows(rows_), columns(columns_), width(width_) {
    std::mt19937 random(seed);
    values = random_values(static_cast<std::size_t>(rows * columns) * static_cast<std::size_t>(width), random);
  }
  tensor::Features features() { return tensor::FeatureMap{{values.data(), rows * columns, width, width}, rows, columns}; }
  double at(int cell, int channel) const {
    return values[static_cast<std::size_t>(cell) * static_cast<std::size_t>(width) + static_cast<std::size_t>(channel)];
  }
  int cells() const { return rows * columns; }

  int rows, columns, width;
  std::vector<float> values;
};

inline std::vector<float> described(const model::LoadedModel& model, const tensor::Features& features) {
  const auto head = make_aggregator(model, std::nullopt);
  std::vector<float> out(static_cast<std::size_t>(head->dim()));
  tensor::Arena arena;
  head->aggregate(features, out.data(), arena, nullptr);
  return out;
}

using Plain = std::vector<double>;

inline Plain unit(Plain x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  for (double& v : x) v /= std::max(std::sqrt(sum), 1e-12);
  return x;
}

/// One value of a tensor of the model, row by row.
inline double weight(const model::LoadedModel& model, const std::string& name, int i) {
  const auto& tensor = model.weights.at(name);
  return model.weights.f32_data(name, tensor.count())[i];
}

/// W x + b of the layer `name`.
inline Plain through(const model::LoadedModel& model, const std::string& name, const Plain& x) {
  const int in = static_cast<int>(x.size()), out = static_cast<int>(model.weights.at(name + ".weight").shape.front());
  Plain y;
  for (int o = 0; o < out; ++o) {
    double sum = weight(model, name + ".bias", o);
    for (int i = 0; i < in; ++i) sum += weight(model, name + ".weight", o * in + i) * x[static_cast<std::size_t>(i)];
    y.push_back(sum);
  }
  return y;
}

inline double largest_difference(const std::vector<float>& got, const Plain& want) {
  if (got.size() != want.size()) return INFINITY;
  double worst = 0;
  for (std::size_t i = 0; i < want.size(); ++i) worst = std::max(worst, std::abs(got[i] - want[i]));
  return worst;
}

/// Cell `cell` at unit length.
inline Plain unit_cell(const RandomMap& map, int cell) {
  Plain out;
  for (int c = 0; c < map.width; ++c) out.push_back(map.at(cell, c));
  return unit(out);
}

}  // namespace revisit::aggregate::testing

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// CLS, mean and GeM pooling.
#include "engine/aggregate/pooling.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "engine/aggregate/generalised_mean.h"
#include "engine/aggregate/head_parts.h"

namespace revisit::aggregate {
namespace {

constexpr std::array<std::pair<const char*, Pooling>, 3> kPoolings{
    {{"cls", Pooling::kCls}, {"mean", Pooling::kMean}, {"gem", Pooling::kGem}}};

void mean(tensor::ConstMatrix cells, std::span<const float> mass, tensor::Arena& arena, float* out) {
  const auto width = static_cast<std::size_t>(cells.cols);
  const std::span<double> sums = arena.numbers<double>(width);
  std::ranges::fill(sums, 0.0);
  double all = 0;
  for (int i = 0; i < cells.rows; ++i) {
    const double times = mass.empty() ? 1 : mass[static_cast<std::size_t>(i)];
    all += times;
    for (std::size_t c = 0; c < width; ++c) sums[c] += times * cells.row(i)[c];
  }
  for (std::size_t c = 0; c < width; ++c) out[c] = static_cast<float>(sums[c] / all);
}

}  // namespace

std::optional<Pooling> pooling_from(const std::string& word) {
  for (const auto& [name, pooling] : kPoolings) {
    if (word == name) return pooling;
  }
  return std::nullopt;
}

std::string pooling_words() {
  std::string out;
  for (const auto& [name, pooling] : kPoolings) out += (out.empty() ? "" : "|") + std::string(name);
  return out;
}

void PoolingAggregator::aggregate(const tensor::Features& features, float* descriptor, tensor::Arena& arena,
                                  HeadTrace* trace) const {
  const tensor::Arena::Scope scope(arena);
  const auto width = static_cast<std::size_t>(width_);
  if (trace != nullptr) *trace = {};
  switch (pooling_) {
    case Pooling::kCls: std::copy_n(features.tokens().cls().row(0), width, descriptor); break;
    case Pooling::kGem: generalised_mean(features.spatial(), features.mass(), 3, descriptor); break;
    case Pooling::kMean: mean(features.spatial(), features.mass(), arena, descriptor); break;
  }
  l2_normalise(descriptor, width);
}

}  // namespace revisit::aggregate

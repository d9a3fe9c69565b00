// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// CLS, mean and GeM pooling.
#include "engine/aggregate/pooling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "engine/aggregate/head_parts.h"

namespace revisit::aggregate {
namespace {
constexpr float kGemClamp = 1e-6F;

constexpr std::array<std::pair<const char*, Pooling>, 3> kPoolings{
    {{"cls", Pooling::kCls}, {"mean", Pooling::kMean}, {"gem", Pooling::kGem}}};
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
  if (pooling_ == Pooling::kCls) {
    std::copy_n(features.tokens().cls().row(0), width, descriptor);
  } else {
    const tensor::ConstMatrix patches = features.spatial();
    const std::span<double> sums = arena.numbers<double>(width);
    std::ranges::fill(sums, 0.0);
    const std::span<const float> mass = features.mass();
    double all = 0;
    for (int i = 0; i < patches.rows; ++i) {
      const float* row = patches.row(i);
      const double times = mass.empty() ? 1 : mass[static_cast<std::size_t>(i)];
      all += times;
      if (pooling_ == Pooling::kMean) {
        for (std::size_t c = 0; c < width; ++c) sums[c] += times * row[c];
      } else {
        for (std::size_t c = 0; c < width; ++c) {
          const double x = std::max(row[c], kGemClamp);
          sums[c] += times * x * x * x;
        }
      }
    }
    for (std::size_t c = 0; c < width; ++c) {
      const double mean = sums[c] / all;
      descriptor[c] = static_cast<float>(pooling_ == Pooling::kMean ? mean : std::cbrt(mean));
    }
  }
  l2_normalise(descriptor, width);
}

}  // namespace revisit::aggregate

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Generalised mean pooling with a trained exponent.
#include <algorithm>

#include "engine/aggregate/generalised_mean.h"
#include "engine/aggregate/head_parts.h"
#include "engine/model/gem_head.h"

namespace revisit::aggregate {
namespace {

class Gem final : public Aggregator {
 public:
  explicit Gem(const model::LoadedModel& model)
      : width_(model.config.head.as<model::GemHead>().width), exponent_(gem_exponent(model, "aggregator.p")) {}

  int dim() const override { return width_; }
  void aggregate(const tensor::Features& features, float* descriptor, tensor::Arena& /*arena*/, HeadTrace* trace) const override {
    if (trace != nullptr) *trace = {};
    generalised_mean(features.spatial(), features.mass(), exponent_, descriptor);
    l2_normalise(descriptor, static_cast<std::size_t>(width_));
  }

 private:
  int width_;
  double exponent_;
};

}  // namespace

std::unique_ptr<Aggregator> make_gem(const model::LoadedModel& model) { return std::make_unique<Gem>(model); }

}  // namespace revisit::aggregate

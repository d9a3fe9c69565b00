// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The head of CosPlace and EigenPlaces: unit cells, generalised mean, linear layer.
#include <algorithm>

#include "core/tensor/kernels.h"
#include "core/tensor/linear.h"
#include "engine/aggregate/generalised_mean.h"
#include "engine/aggregate/head_parts.h"
#include "engine/model/cosplace_head.h"
#include "engine/model/load_linear.h"

namespace revisit::aggregate {
namespace {

class Cosplace final : public Aggregator {
 public:
  explicit Cosplace(const model::LoadedModel& model)
      : head_(model.config.head.as<model::CosplaceHead>()),
        exponent_(gem_exponent(model, "aggregator.gem.p")),
        layer_(model::load_linear(model.weights, "aggregator.fc", head_.width, head_.dim)) {}

  int dim() const override { return head_.dim; }
  void aggregate(const tensor::Features& features, float* descriptor, tensor::Arena& arena, HeadTrace* trace) const override {
    const tensor::Arena::Scope scope(arena);
    if (trace != nullptr) *trace = {};
    const tensor::ConstMatrix cells = features.spatial();
    const tensor::Matrix unit = arena.matrix(cells.rows, head_.width), pooled = arena.matrix(1, head_.width);
    for (int r = 0; r < cells.rows; ++r) {
      std::copy_n(cells.row(r), head_.width, unit.row(r));
      tensor::l2_normalise(unit.row(r), head_.width);
    }
    generalised_mean(unit, features.mass(), exponent_, pooled.data);
    layer_(pooled, {descriptor, 1, head_.dim, head_.dim}, arena);
    l2_normalise(descriptor, static_cast<std::size_t>(head_.dim));
  }

 private:
  model::CosplaceHead head_;
  double exponent_;
  tensor::Linear layer_;
};

}  // namespace

std::unique_ptr<Aggregator> make_cosplace(const model::LoadedModel& model) { return std::make_unique<Cosplace>(model); }

}  // namespace revisit::aggregate

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// MegaLoc: SALAD's descriptor through one linear layer.
#include "core/tensor/linear.h"
#include "engine/aggregate/salad.h"
#include "engine/model/load_linear.h"

namespace revisit::aggregate {
namespace {

class Megaloc final : public Aggregator {
 public:
  explicit Megaloc(const model::LoadedModel& model)
      : salad_(model),
        layer_(model::load_linear(model.weights, "aggregator.linear", salad_.dim(), model.config.head.descriptor_dim())) {}

  int dim() const override { return layer_.out(); }
  void aggregate(const tensor::Features& features, float* descriptor, tensor::Arena& arena, HeadTrace* trace) const override {
    const tensor::Arena::Scope scope(arena);
    const tensor::Matrix assembled = arena.matrix(1, salad_.dim());
    salad_.aggregate(features, assembled.data, arena, trace);
    layer_(assembled, {descriptor, 1, dim(), dim()}, arena);
    l2_normalise(descriptor, static_cast<std::size_t>(dim()));
  }

 private:
  Salad salad_;
  tensor::Linear layer_;
};

}  // namespace

std::unique_ptr<Aggregator> make_megaloc(const model::LoadedModel& model) { return std::make_unique<Megaloc>(model); }

}  // namespace revisit::aggregate

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// SuperVLAD: sums of unit tokens per word, without centroids. Ghost words take what belongs to no place and are dropped.
#include <algorithm>

#include "engine/aggregate/soft_assignment.h"
#include "engine/model/supervlad_head.h"

namespace revisit::aggregate {
namespace {

class Supervlad final : public Aggregator {
 public:
  explicit Supervlad(const model::LoadedModel& model)
      : head_(model.config.head.as<model::SupervladHead>()),
        assign_(model.weights.f32_data("aggregator.conv.weight", std::int64_t{head_.clusters + head_.ghosts} * head_.width),
                nullptr, head_.width, head_.clusters + head_.ghosts) {}

  int dim() const override { return head_.clusters * head_.width; }
  void aggregate(const tensor::Features& features, float* descriptor, tensor::Arena& arena, HeadTrace* trace) const override {
    const tensor::Arena::Scope scope(arena);
    if (trace != nullptr) *trace = {};
    const SoftAssignment::Result found = assign_(features, arena);
    std::copy_n(found.sums.data, dim(), descriptor);
    normalise_rows({descriptor, head_.clusters, head_.width, head_.width});
  }

 private:
  model::SupervladHead head_;
  SoftAssignment assign_;
};

}  // namespace

std::unique_ptr<Aggregator> make_supervlad(const model::LoadedModel& model) { return std::make_unique<Supervlad>(model); }

}  // namespace revisit::aggregate

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// NetVLAD: V_k = sum a_k (x - c_k) = S_k - A_k c_k, each and then all to unit length; perhaps whitened.
#include <algorithm>
#include <optional>

#include "engine/aggregate/head_parts.h"
#include "engine/aggregate/soft_assignment.h"
#include "engine/model/load_linear.h"
#include "engine/model/netvlad_head.h"

namespace revisit::aggregate {
namespace {

class Netvlad final : public Aggregator {
 public:
  explicit Netvlad(const model::LoadedModel& model)
      : head_(model.config.head.as<model::NetvladHead>()),
        assign_(model.weights.f32_data("aggregator.conv.weight", words()), nullptr, head_.width, head_.clusters),
        centres_(model.weights.f32_data(head_.matlab() ? "aggregator.centers" : "aggregator.centroids", words())) {
    if (head_.matlab()) whitening_.emplace(model::load_linear(model.weights, "aggregator.whiten", words(), head_.whitened));
  }

  int dim() const override { return head_.matlab() ? head_.whitened : words(); }

  void aggregate(const tensor::Features& features, float* descriptor, tensor::Arena& arena, HeadTrace* trace) const override {
    const tensor::Arena::Scope scope(arena);
    if (trace != nullptr) *trace = {};
    const SoftAssignment::Result found = assign_(features, arena);
    for (int k = 0; k < head_.clusters; ++k) {
      const double mass = found.mass[static_cast<std::size_t>(k)];
      float* row = found.sums.row(k);
      for (int c = 0; c < head_.width; ++c) row[c] = static_cast<float>(row[c] - mass * centre(k, c));
    }
    normalise_rows(found.sums);
    if (!whitening_) {
      std::copy_n(found.sums.data, words(), descriptor);
      return;
    }
    const tensor::Matrix flat = arena.matrix(1, words());  // the word runs fastest
    for (int k = 0; k < head_.clusters; ++k) {
      for (int c = 0; c < head_.width; ++c) flat.data[c * head_.clusters + k] = found.sums.row(k)[c];
    }
    (*whitening_)(flat, {descriptor, 1, dim(), dim()}, arena);
    l2_normalise(descriptor, static_cast<std::size_t>(dim()));
  }

 private:
  int words() const { return head_.clusters * head_.width; }
  double centre(int k, int c) const { return centres_[head_.matlab() ? c * head_.clusters + k : k * head_.width + c]; }

  model::NetvladHead head_;
  SoftAssignment assign_;
  const float* centres_;
  std::optional<tensor::Linear> whitening_;
};

}  // namespace

std::unique_ptr<Aggregator> make_netvlad(const model::LoadedModel& model) { return std::make_unique<Netvlad>(model); }

}  // namespace revisit::aggregate

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The largest value of each channel.
#include <algorithm>

#include "core/tensor/kernels.h"
#include "engine/aggregate/aggregator.h"

namespace revisit::aggregate {
namespace {

class Max final : public Aggregator {
 public:
  explicit Max(int width) : width_(width) {}
  int dim() const override { return width_; }
  void aggregate(const tensor::Features& features, float* descriptor, tensor::Arena& arena, HeadTrace* /*trace*/) override {
    const tensor::Arena::Scope scope(arena);
    const tensor::ConstMatrix patches = features.spatial(arena);
    std::copy_n(patches.row(0), width_, descriptor);
    for (int r = 1; r < patches.rows; ++r) {
      for (int c = 0; c < width_; ++c) descriptor[c] = std::max(descriptor[c], patches.row(r)[c]);
    }
    tensor::l2_normalise(descriptor, width_);
  }

 private:
  int width_;
};

}  // namespace

std::unique_ptr<Aggregator> make_max(const model::LoadedModel& model) {
  return std::make_unique<Max>(model.config.backbone.width());
}

}  // namespace revisit::aggregate

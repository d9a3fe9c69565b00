// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Conv-AP. A layer and a mean are both linear, so the mean of each region comes first: the layer then has few rows.
#include <algorithm>
#include <span>

#include "core/tensor/linear.h"
#include "engine/aggregate/head_parts.h"
#include "engine/model/convap_head.h"
#include "engine/model/load_linear.h"

namespace revisit::aggregate {
namespace {

/// Region `i` of `count` along a side: where it begins and ends. Neighbours share a cell where the side does not divide.
struct Stretch {
  Stretch(int i, int count, int side) : first(i * side / count), last(((i + 1) * side + count - 1) / count) {}
  int first, last;
};

class Convap final : public Aggregator {
 public:
  explicit Convap(const model::LoadedModel& model)
      : head_(model.config.head.as<model::ConvapHead>()),
        layer_(model::load_linear(model.weights, "aggregator.channel_pool", head_.width, head_.channels)) {}

  int dim() const override { return head_.channels * regions(); }

  void aggregate(const tensor::Features& features, float* descriptor, tensor::Arena& arena, HeadTrace* trace) const override {
    const tensor::Arena::Scope scope(arena);
    if (trace != nullptr) *trace = {};
    const tensor::Matrix means = arena.matrix(regions(), head_.width), out = arena.matrix(regions(), head_.channels);
    for (int region = 0; region < regions(); ++region) mean_of(features.map(), region, means.row(region), arena);
    layer_(means, out, arena);
    for (int c = 0; c < head_.channels; ++c) {
      for (int region = 0; region < regions(); ++region) descriptor[c * regions() + region] = out.row(region)[c];
    }
    l2_normalise(descriptor, static_cast<std::size_t>(dim()));
  }

 private:
  int regions() const { return head_.rows * head_.columns; }

  void mean_of(const tensor::FeatureMap& map, int region, float* to, tensor::Arena& arena) const {
    const Stretch rows(region / head_.columns, head_.rows, map.rows), columns(region % head_.columns, head_.columns, map.columns);
    const std::span<double> sums = arena.numbers<double>(static_cast<std::size_t>(head_.width));
    std::ranges::fill(sums, 0.0);
    for (int r = rows.first; r < rows.last; ++r) {
      for (int c = columns.first; c < columns.last; ++c) {
        const float* cell = map.cells.row(r * map.columns + c);
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += cell[i];
      }
    }
    const double area = static_cast<double>(rows.last - rows.first) * (columns.last - columns.first);
    for (std::size_t i = 0; i < sums.size(); ++i) to[i] = static_cast<float>(sums[i] / area);
  }

  model::ConvapHead head_;
  tensor::Linear layer_;
};

}  // namespace

std::unique_ptr<Aggregator> make_convap(const model::LoadedModel& model) { return std::make_unique<Convap>(model); }

}  // namespace revisit::aggregate

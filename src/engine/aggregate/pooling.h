// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Descriptors without learned weights, for backbone-only models: CLS, mean or generalised mean of the patches, or cells of a map.
#pragma once

#include <optional>
#include <string>

#include "engine/aggregate/aggregator.h"

namespace revisit::aggregate {

enum class Pooling {
  kCls,
  kMean,
  kGem,  ///< (mean of max(x, 1e-6)^3)^(1/3) per channel
};

/// cls, mean or gem; nothing for any other word.
std::optional<Pooling> pooling_from(const std::string& word);
/// "cls|mean|gem"
std::string pooling_words();

class PoolingAggregator final : public Aggregator {
 public:
  PoolingAggregator(Pooling pooling, int width) : pooling_(pooling), width_(width) {}

  int dim() const override { return width_; }
  void aggregate(const tensor::Features& features, float* descriptor, tensor::Arena& arena, HeadTrace* trace) const override;

 private:
  Pooling pooling_;
  int width_;
};

}  // namespace revisit::aggregate

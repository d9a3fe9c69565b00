// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// VLAD over patch tokens, or cells of a feature map, with a fixed vocabulary: place recognition without training.
//   x = token / |token|;  V_k = sum over tokens nearest to centre k of (x - c_k);  each V_k, then all of V, to unit length
#pragma once

#include <vector>

#include "core/tensor/linear.h"
#include "engine/aggregate/aggregator.h"

namespace revisit::aggregate {

/// For each row of x (rows, D), the nearest of the centres (K, D) by L2; ties to the lower index.
class NearestCentre {
 public:
  NearestCentre(const float* centres, int clusters, int dim);  ///< centres must outlive it

  /// `out` gets rows entries. x is dense.
  void operator()(tensor::ConstMatrix x, int* out, tensor::Arena& arena) const;

 private:
  std::vector<float> offsets_;  // -|c|^2 / 2: the nearest centre has the largest <x, c> - |c|^2 / 2
  tensor::Linear product_;
  int clusters_;
};

class Vlad final : public Aggregator {
 public:
  explicit Vlad(const model::LoadedModel& model);

  int dim() const override { return clusters_ * width_; }
  bool wants_final_norm() const override { return false; }
  void aggregate(const tensor::Features& features, float* descriptor, tensor::Arena& arena, HeadTrace* trace) const override;

 private:
  int clusters_;
  int width_;
  const float* centres_;  // (K, D)
  NearestCentre nearest_;
};

}  // namespace revisit::aggregate

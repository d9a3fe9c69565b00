// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The predictor of DynamicViT: a small network that scores the patches before a block.
#pragma once

#include <string>
#include <vector>

#include "core/tensor/linear.h"
#include "engine/model/config.h"

namespace revisit::reduce {

class Predictor {
 public:
  /// Weights `score_predictor.STAGE.*`, which must outlive it. `width` is D.
  Predictor(const model::Weights& weights, int stage, int width, tensor::Precision precision);

  /// log of the probability to keep each patch, in `keep` (n).
  void operator()(tensor::ConstMatrix patches, std::vector<float>& keep, tensor::Arena& arena) const;

  /// Multiply-adds for a patch.
  double macs() const;

 private:
  const float* norm_gamma_;
  const float* norm_beta_;
  tensor::Linear in_;      // D -> D, GELU
  tensor::Linear first_;   // D -> D / 2, GELU
  tensor::Linear second_;  // D / 2 -> D / 4, GELU
  tensor::Linear last_;    // D / 4 -> keep, drop
};

/// How many predictors the weights hold.
int predictor_stages(const model::Weights& weights);

}  // namespace revisit::reduce

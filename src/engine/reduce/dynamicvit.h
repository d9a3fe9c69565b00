// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The predictor of DynamicViT: a small network that scores the patches before a block, and how many pass each of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/tensor/linear.h"
#include "engine/model/config.h"
#include "revisit/spec.h"

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

/// Epsilon of its norm.
inline constexpr float kPredictorEps = 1e-5F;

/// Where predictors decide, and what share of the patches passes each.
class Stages {
 public:
  /// Of a complete spec, for a network of `depth` blocks with `count` predictors. Throws Error kUsage when they do not fit.
  Stages(const DescriptorSpec& spec, int count, int depth);

  /// The blocks before which they decide, ascending.
  const std::vector<int>& blocks() const { return blocks_; }
  bool acts() const { return keep_.value_or(rho_) < 1; }
  /// The share that passes each stage.
  double keep_for(int patches) const;
  /// How many of so many live on once `blocks_done` blocks have run.
  int left(int blocks_done, int patches) const { return acts() ? left(keep_for(patches), blocks_done, patches) : patches; }

  /// How many predictors a new model gets for this complete spec: one for each block that `at` names, or three.
  static int count_for(const DescriptorSpec& spec, int depth);

 private:
  int left(double keep, int blocks_done, int patches) const;

  double rho_;
  std::optional<double> keep_;  // of each stage; open: what rho asks for
  std::vector<int> blocks_;
};

/// How many predictors the weights hold.
int predictor_stages(const model::Weights& weights);

}  // namespace revisit::reduce

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Our own AdamW, so that its whole state is two tensors and a count by the name of each parameter: saved and restored to the
// bit. A parameter without a gradient in a step is left alone, as in torch. Matrices of blocks may take orthogonal steps
// (Muon) instead.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/model/weights.h"
#include "revisit/lab/train.h"

namespace revisit::train {

/// How one parameter is moved, before the schedule.
struct ParameterRule {
  double lr = 0;
  double weight_decay = 0;
  double eps = 1e-8;
  bool orthogonal = false;  ///< a matrix of a block that moves by the nearest orthogonal matrix to its gradient's momentum
};

/// By name: blocks and norm of the backbone, heads, tier weights (aggregator.theta*), WeiToP (algorithms.md A9, A15).
ParameterRule rule_of(const std::string& name, const TrainOptimiser& settings);

class Optimiser {
 public:
  /// Takes the tensors that require a gradient.
  Optimiser(const TrainOptimiser& settings, const std::map<std::string, torch::Tensor>& tensors);

  void forget_gradients();
  double gradient_norm() const;  ///< of all gradients as one vector; NaN or infinite when one of them is
  void scale_gradients(double factor);
  /// Moves every parameter that has a gradient. `step` counts from 0 and decides the learning rate.
  void step(std::int64_t step);

  /// "m/NAME", "v/NAME" (f32) and "t/NAME" (how often it was moved).
  model::Weights state() const;
  /// Throws Error kBadModel naming what is missing or of another shape.
  void restore(const model::Weights& state);

 private:
  struct Parameter {
    std::string name;
    torch::Tensor value, m, v;
    std::int64_t moved = 0;
    ParameterRule rule;
  };

  TrainOptimiser settings_;
  std::vector<Parameter> parameters_;
};

}  // namespace revisit::train

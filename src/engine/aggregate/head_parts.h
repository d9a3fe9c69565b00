// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What SALAD and WeiAD share: the three MLPs in front, and the assembly of the descriptor at the end.
#pragma once

#include <string>

#include "core/tensor/linear.h"
#include "engine/aggregate/aggregator.h"
#include "engine/aggregate/sinkhorn.h"

namespace revisit::aggregate {

/// Linear, ReLU, Linear.
class Mlp {
 public:
  /// Reads `<name>.0` and `<name>.<second>` (weight and bias each) of `weights`.
  Mlp(const model::Weights& weights, const std::string& name, int second, int in, int hidden, int out);

  /// x is (rows, in); the result (rows, out) lives in the arena.
  tensor::Matrix operator()(tensor::ConstMatrix x, tensor::Arena& arena) const;

 private:
  tensor::Linear first_;
  tensor::Linear second_;
};

class HeadMlps {
 public:
  HeadMlps(const model::Weights& weights, const model::TransportHead& head, int width);

  struct Result {
    tensor::Matrix token;     // (1, g) from CLS
    tensor::Matrix features;  // (K, l) F
    tensor::Matrix scores;    // (K, M) S
  };
  Result operator()(const tensor::Tokens& tokens, tensor::Arena& arena) const;

 private:
  Mlp token_features_;
  Mlp cluster_features_;
  Mlp score_;
};

/// Row j of sums (M, l) becomes w_j * L2(row), L2(w_j * row) or w_j * row, as `norm` says. weights (M) may be null: all 1.
void normalise_clusters(tensor::Matrix sums, const float* weights, model::ClusterNorm norm);

/// descriptor = L2([L2(token), clusters flattened with the cluster running fastest: c * M + j]).
void assemble(tensor::ConstMatrix token, tensor::ConstMatrix clusters, float* descriptor);

/// Copies the steps both heads have into the trace; sums are those before any norm.
void trace_steps(const HeadMlps::Result& mlps, const Transport& transport, float extra, tensor::ConstMatrix sums,
                 HeadTrace& trace);

/// Values without the padding of their rows.
std::vector<float> values_of(tensor::ConstMatrix x);

/// x / max(||x||, 1e-12), the norm summed in double.
void l2_normalise(float* x, std::size_t count);

}  // namespace revisit::aggregate

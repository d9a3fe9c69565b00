// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One transformer block: x += LayerScale * attention(norm(x)), then x += LayerScale * mlp(norm(x)).
#pragma once

#include <optional>
#include <string>

#include "engine/model/config.h"
#include "core/tensor/arena.h"
#include "core/tensor/linear.h"
#include "core/tensor/tokens.h"

namespace revisit::vit {

class Block {
 public:
  /// Weights must outlive the block: what is not folded is used in place. `prefix` is "backbone.model.blocks.3.".
  Block(const model::VitConfig& config, const model::Weights& weights, const std::string& prefix, tensor::Precision precision);

  /// First half. Fills `view` with what `needs` names; its memory lives in the arena until the caller's scope ends. `by_mass`:
  /// keys count as often as the patches they stand for.
  void attend(tensor::Tokens& tokens, tensor::TokenHook::Needs needs, bool by_mass, tensor::AttentionView& view,
              tensor::Arena& arena) const;
  /// Second half.
  void feed_forward(tensor::Tokens& tokens, tensor::Arena& arena) const;

 private:
  struct Norm {
    const float* gamma;
    const float* beta;
  };

  tensor::Precision precision_;
  int heads_;
  int hidden_;  // of the MLP
  bool swiglu_;
  float eps_;
  Norm norm1_;
  Norm norm2_;
  tensor::Linear qkv_;
  tensor::Linear proj_;
  tensor::Linear up_;    // fc1 with GELU, or w12
  tensor::Linear down_;  // fc2, or w3
};

}  // namespace revisit::vit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A network that turns the pixels of a picture into features: tokens, or a map. What it is made of and how much it computes is
// told by model::BackboneConfig, without running it.
#pragma once

#include <memory>

#include "core/tensor/arena.h"
#include "core/tensor/features.h"
#include "core/tensor/linear.h"
#include "core/tensor/tokens.h"
#include "engine/model/config.h"

namespace revisit::backbone {

/// One object serves one thread at a time (it keeps scratch); it must not outlive the model it was made from.
class Backbone {
 public:
  virtual ~Backbone() = default;

  virtual int blocks() const = 0;

  /// pixels is (3, H, W), normalised, H and W multiples of the stride. Gives what the first block begins with. Features live in
  /// the arena.
  virtual tensor::Features embed(const float* pixels, Size size, tensor::Arena& arena) = 0;

  /// Blocks first..last-1. Where the features are tokens the hook (may be null) is called inside and after each block, with
  /// first == 0 also before the first.
  virtual void run_blocks(tensor::Features& features, int first, int last, tensor::TokenHook* hook,
                          tensor::Arena& arena) const = 0;

  /// What the network does after its last block, such as a ViT's LayerNorm, in place.
  virtual void normalise(tensor::Features& features) const = 0;
};

/// The network of the model's config; `precision` is that of its products. Throws Error kBadModel when its weights do not fit.
std::unique_ptr<Backbone> make_backbone(const model::LoadedModel& model, tensor::Precision precision = tensor::Precision::kF32);

}  // namespace revisit::backbone

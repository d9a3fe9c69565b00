// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A residual network: stem, then stages of blocks, each stage a block of the Backbone.
#pragma once

#include <optional>
#include <vector>

#include "core/tensor/convolution.h"
#include "engine/backbone/backbone.h"
#include "engine/model/config.h"

namespace revisit::conv {

class Resnet final : public backbone::Backbone {
 public:
  /// The model must outlive the network.
  Resnet(const model::LoadedModel& model, tensor::Precision precision);

  int blocks() const override { return static_cast<int>(stages_.size()); }
  /// What leaves the stem, pooled.
  tensor::Features embed(const float* pixels, Size size, tensor::Arena& arena) const override;
  void run_blocks(tensor::Features& features, int first, int last, tensor::TokenHook* hook, tensor::Arena& arena) const override;
  void normalise(tensor::Features& /*features*/) const override {}

 private:
  /// y = relu(shortcut(x) + path(x))
  struct Block {
    std::vector<tensor::Convolution> path;  // the last one adds its result
    std::optional<tensor::Convolution> shortcut;
  };
  static tensor::FeatureMap run(const Block& block, const tensor::FeatureMap& x, tensor::Arena& arena);

  tensor::Convolution stem_;
  std::vector<std::vector<Block>> stages_;
};

}  // namespace revisit::conv

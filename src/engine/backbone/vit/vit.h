// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A vision transformer: DINOv2 S/B/L/g (with registers or SwiGLU too) and timm ViTs, at any multiple of the patch size.
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "core/tensor/arena.h"
#include "core/tensor/linear.h"
#include "core/tensor/tokens.h"
#include "engine/backbone/backbone.h"
#include "engine/backbone/vit/block.h"
#include "engine/model/config.h"

namespace revisit::vit {

class Vit final : public backbone::Backbone {
 public:
  /// The model must outlive the Vit.
  Vit(const model::LoadedModel& model, tensor::Precision precision);

  int blocks() const override { return static_cast<int>(blocks_.size()); }

  /// [CLS | registers | patches] with positions added; every patch stands for itself until something drops or merges it.
  tensor::Features embed(const float* pixels, Size size, tensor::Arena& arena) const override;
  void run_blocks(tensor::Features& features, int first, int last, tensor::TokenHook* hook, tensor::Arena& arena) const override;
  /// The final LayerNorm.
  void normalise(tensor::Features& features) const override;

 private:
  const std::vector<float>& positions(int rows, int cols) const;  // (rows * cols, D), cached per grid

  const model::VitConfig& config_;
  tensor::Linear patch_;
  const float* cls_token_;        // (D)
  const float* register_tokens_;  // (R, D), or null
  const float* position_table_;   // (1 + pos_rows * pos_cols, D): row 0 belongs to CLS
  const float* norm_gamma_;
  const float* norm_beta_;
  std::vector<Block> blocks_;
  mutable std::mutex mutex_;  // of what follows
  mutable std::map<std::pair<int, int>, std::vector<float>> positions_;
};

}  // namespace revisit::vit

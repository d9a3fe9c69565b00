// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A vision transformer: DINOv2 S/B/L/g (with registers or SwiGLU too) and timm ViTs, at any multiple of the patch size.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "engine/model/config.h"
#include "core/tensor/arena.h"
#include "core/tensor/linear.h"
#include "core/tensor/tokens.h"
#include "engine/backbone/vit/block.h"

namespace revisit::vit {

class Vit {
 public:
  /// The model must outlive the Vit.
  explicit Vit(const model::LoadedModel& model);

  int depth() const { return static_cast<int>(blocks_.size()); }

  /// pixels is (3, H, W), H and W multiples of the patch. Returns [CLS | registers | patches] with positions added;
  /// `kept` becomes 0..N0-1 and is updated by whatever drops patches later.
  tensor::Tokens embed(const float* pixels, Size size, std::vector<int>& kept, tensor::Arena& arena);

  /// Blocks first..last-1, calling the hook (may be null) inside and after each; with first == 0 also before the first.
  void run_blocks(tensor::Tokens& tokens, int first, int last, tensor::TokenHook* hook, tensor::Arena& arena) const;

  /// The final LayerNorm, in place.
  void normalise(tensor::Tokens& tokens) const;

 private:
  const std::vector<float>& positions(int rows, int cols);  // (rows * cols, D), cached per grid

  const model::VitConfig& config_;
  tensor::Linear patch_;
  const float* cls_token_;        // (D)
  const float* register_tokens_;  // (R, D), or null
  const float* position_table_;   // (1 + pos_rows * pos_cols, D): row 0 belongs to CLS
  const float* norm_gamma_;
  const float* norm_beta_;
  std::vector<Block> blocks_;
  std::map<std::pair<int, int>, std::vector<float>> positions_;
};

/// Multiply-adds of one block over `tokens` rows: 4 D^2 T + 2 D T^2 for attention, the rest for the MLP.
double block_macs(const model::VitConfig& config, int tokens);
/// Multiply-adds of the patch embedding.
double embed_macs(const model::VitConfig& config, int patches);

}  // namespace revisit::vit

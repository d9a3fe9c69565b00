// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Where most of a step's time goes, with gradients, on the tiles of the processor (tensor/tiles.h): products in bfloat16,
// everything else in f32. Torch's own bfloat16 does not help: docs/decisions/0006-bfloat16-training-on-the-cpu.md.
#pragma once

#include <torch/torch.h>

namespace revisit::train {

/// While one lives, the twin's products of this thread run on tiles, if `on`.
class TileProducts {
 public:
  explicit TileProducts(bool on);
  ~TileProducts();
  TileProducts(const TileProducts&) = delete;
  TileProducts& operator=(const TileProducts&) = delete;
  static bool on();

 private:
  bool before_;
};

/// x W^T + b: x (..., in), weight (out, in), bias (out).
torch::Tensor tile_linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias);

/// What weighted_softmax of vit_twin.h adds to its sums when tokens see themselves, as DynamicViT's own code does.
inline constexpr double kPolicySlack = 1e-6;

/// attend() of vit_twin.h. The gradient leaves kPolicySlack aside.
torch::Tensor tile_attention(const torch::Tensor& qkv, std::int64_t heads, const torch::Tensor& weights = {},
                             bool sees_itself = false);

/// torch::gelu, within 1e-6 (of the largest value, where that is above 1).
torch::Tensor fast_gelu(const torch::Tensor& x);

/// a b for (parts, rows, inner) and (parts, inner, columns), on tiles if TileProducts says so. No gradient.
torch::Tensor batched_product(const torch::Tensor& a, const torch::Tensor& b);

}  // namespace revisit::train

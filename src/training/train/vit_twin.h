// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The vision transformer on torch tensors, and the choice of patches by WeiToP: what engine/backbone/vit and
// engine/reduce do, for a batch.
#pragma once

#include <torch/torch.h>

#include <map>
#include <string>

#include "engine/model/config.h"

namespace revisit::train {

/// By model-file name.
using Tensors = std::map<std::string, torch::Tensor>;

/// x W^T + b with `<name>.weight` and `<name>.bias`; a 1x1 convolution's weight counts as a matrix.
torch::Tensor linear(const Tensors& tensors, const std::string& name, const torch::Tensor& x);

/// Resampling a position table is linear in it, so it is one matrix (rows * cols, pos_rows * pos_cols): the table gets its
/// gradient through it at any input size. Undefined when the grid is the table's own.
torch::Tensor position_resampling(const model::VitConfig& vit, int rows, int cols);

/// pixels (B, 3, H, W) -> (B, 1 + R + N0, D): CLS, registers, patches; positions added.
torch::Tensor embed_pixels(const model::VitConfig& vit, const Tensors& tensors, const torch::Tensor& pixels,
                           const torch::Tensor& resampling);

class PrunerTwin;

/// softmax(q k^T / sqrt(head size)) v per head: qkv (B, T, 3 D) = [q | k | v] -> (B, T, D). `weights` (B, T): how often each key
/// counts, 0 for not at all; undefined: once. `sees_itself`: but each token counts itself once.
torch::Tensor attend(const torch::Tensor& qkv, std::int64_t heads, const torch::Tensor& weights = {}, bool sees_itself = false);

/// The softmax in it: scores (B, heads, rows, T).
torch::Tensor weighted_softmax(const torch::Tensor& scores, const torch::Tensor& weights, bool sees_itself);

/// The row of CLS of that softmax, mean over heads: (B, T).
torch::Tensor cls_attention(const torch::Tensor& qkv, std::int64_t heads, const torch::Tensor& weights = {});

/// One block over (B, T, D), which a pruner may make shorter.
torch::Tensor run_vit_block(const model::VitConfig& vit, const Tensors& tensors, int index, const torch::Tensor& x,
                            PrunerTwin* pruner = nullptr);

torch::Tensor final_norm(const model::VitConfig& vit, const Tensors& tensors, const torch::Tensor& x);

/// WeiToP's student: (B, N, D) -> (B, N).
torch::Tensor weitop_scores(const Tensors& tensors, const torch::Tensor& patches);

/// The patches inference would keep at `rho` of a grid of so many columns: (B, K) int64, ascending. No gradient.
torch::Tensor choose_patches(const DescriptorSpec& own, const Tensors& tensors, const torch::Tensor& patches, int columns,
                             double rho);

}  // namespace revisit::train

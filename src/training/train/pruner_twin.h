// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Pruners that the network is trained with, for a batch and with gradients. FastV, EViT, ToMe and ToFu: the engine's reducer
// decides for each picture what goes into what, and the tokens follow here. DynamicViT: its predictors learn, so they stand here.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <vector>

#include "engine/model/config.h"
#include "training/train/vit_twin.h"

namespace revisit::train {

/// What a pruner has done to a batch of N0 patches a picture, of which N rows are left.
struct Pruned {
  torch::Tensor kept;    // (B, N) int64, ascending: the patch each row stands at; undefined while none is dropped, only masked
  torch::Tensor shares;  // (B, N, N0) each row sums to 1: a row's patches have equal shares; undefined like kept
  torch::Tensor mass;    // (B, N) how often each row counts in the descriptor; undefined: once each
  std::vector<torch::Tensor> decisions;  // (B, N0) for each predictor: 1 for what stays, with its gradient; while training
  std::vector<double> wanted;            // the share of patches that should stay, for each of these
};

/// Serves one forward of one batch.
class PrunerTwin {
 public:
  virtual ~PrunerTwin() = default;
  /// Tokens (B, T, D) after `done` blocks, before the next.
  virtual torch::Tensor after_blocks(int done, const torch::Tensor& tokens) = 0;
  /// Attention of a block: qkv (B, T, 3 D) = [q | k | v] -> (B, T, D).
  virtual torch::Tensor attend(int block, const torch::Tensor& qkv) = 0;
  /// Tokens between attention and MLP.
  virtual torch::Tensor after_attention(int block, const torch::Tensor& tokens) = 0;
  virtual Pruned result() const = 0;
};

/// A batch of so many pictures, each a grid of so many patches in rows of `columns`. `spec` is complete and prunes. `training`:
/// DynamicViT draws its decisions and masks instead of dropping. Throws Error kUsage when the spec does not fit.
std::unique_ptr<PrunerTwin> make_pruner_twin(const DescriptorSpec& spec, const model::Config& config, const Tensors& tensors,
                                             std::int64_t pictures, int patches, int columns, bool training);

/// The first blocks that run the same whatever the pruner does: 0 for all but DynamicViT.
int blocks_before_pruning(const DescriptorSpec& spec, const model::Config& config);

/// log softmax(keep, drop) of one of DynamicViT's predictors: patches (B, N, D), policy (B, N), 1 for those still there -> (B, N,
/// 2).
torch::Tensor predict(const Tensors& tensors, int stage, const torch::Tensor& patches, const torch::Tensor& policy);

std::unique_ptr<PrunerTwin> make_predictor_twin(const DescriptorSpec& spec, const model::Config& config, const Tensors& tensors,
                                                std::int64_t pictures, int patches, bool training);

}  // namespace revisit::train

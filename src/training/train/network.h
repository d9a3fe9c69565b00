// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The model as torch tensors with gradients: the twin of vit, prune and aggregate, under the names of the model file.
#pragma once

#include <torch/torch.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "engine/model/config.h"
#include "training/train/pruner_twin.h"

namespace revisit::train {

struct NetworkOptions {
  int trained_blocks =
      4;  // the last ones; the final norm, the head and WeiToP always learn. All of them: the embedding learns too
  bool weitop_only = false;  // WeiToP learns and nothing else
  double dropout = 0.3;      // between the two layers of the heads' MLPs (not of the CLS one), while training
  bool teacher_gradient = false;
  bool tie_deltas = true;  // the T - 1 numbers of thetaD stay equal: each gets the gradient of one number shared by all
  torch::Device device = torch::kCPU;
  bool tiles = false;                     // products in bfloat16 on the processor's tiles
  std::optional<DescriptorSpec> prune{};  // complete: every forward runs pruned by this method, and rho is 1
};

/// What the frozen part of the backbone gives. It never changes, so at rho = 1 it may be cached; it has no gradient. When the
/// whole backbone learns, this is the embedding, with its gradient, and must not be cached.
struct FrozenTokens {
  torch::Tensor tokens;        // (B, 1 + R + N, D) before the first trained block
  torch::Tensor weitop_input;  // (B, N0, D) patch tokens after PruneConfig::layer blocks, detached; undefined without WeiToP, or
                               // when that point is in the trained part
  torch::Tensor kept;          // (B, N) int64, ascending: which of the N0 patches stayed; undefined if none have been dropped yet
  int columns = 0;             // of the patch grid
};

struct Forward {
  torch::Tensor tokens;      // (B, 1 + R + N, D) after the final norm
  torch::Tensor descriptor;  // (B, descriptor_dim), unit length
  torch::Tensor importance;  // (B, N) sum_j w_tau(j) P_ij (SALAD: every weight is 1). Detached unless teacher_gradient
  torch::Tensor scores;      // (B, N) raw outputs of WeiToP for the patches that stayed; undefined without WeiToP
  torch::Tensor ghost;       // (B, M) mass of the ghost token; undefined without one. Detached
  torch::Tensor tier_of;     // (B, M) int64: the tier each cluster fell into; undefined for SALAD
  torch::Tensor alpha;       // (B, M) what WeiAD ranks clusters by; undefined for SALAD. Detached
  torch::Tensor kept;        // (B, N) as in FrozenTokens; undefined when nothing was dropped
  Pruned pruned;             // by NetworkOptions::prune
};

/// Of `tokens` (B, first + N0, D) the first ones and of the N0 that follow those that were `kept` (B, N): (B, first + N, D).
torch::Tensor keep_patches(const torch::Tensor& tokens, std::int64_t first, const torch::Tensor& kept);

/// One thread at a time. Copies share their tensors.
class Network {
 public:
  /// Throws Error kUsage for options that do not fit the model, kBadModel for weights that are not finite.
  Network(const model::LoadedModel& model, const NetworkOptions& options);

  const model::Config& config() const { return config_; }
  const NetworkOptions& options() const { return options_; }
  /// Every tensor by its model-file name. Those that learn have requires_grad and are leaves.
  const std::map<std::string, torch::Tensor>& tensors() const { return tensors_; }

  /// pixels (B, 3, H, W), normalised. With rho < 1 the tokens are pruned by WeiToP's score. With NetworkOptions::prune the frozen
  /// part ends where that method begins, and the rest runs in forward().
  FrozenTokens frozen(const torch::Tensor& pixels, double rho = 1) const;
  /// The trained blocks and the head. `training` turns dropout on. rho is the one given to frozen(): pruning happens here when
  /// its layer lies in the trained part. Tokens never learn from WeiToP's score: only WeiToP does.
  Forward forward(const FrozenTokens& frozen, bool training, double rho = 1) const;

  /// With a frozen ranking: the mean alpha that it ranks by follows that of a batch. Nothing otherwise.
  void follow_ranking(const Forward& out);

  /// All tokens after block `block` (from 0; -1: after the last block and the final norm), (B, 1 + R + N, D), with gradients
  /// where blocks learn. `seen` (K) int64: the embedded tokens that are gone on with, all when undefined.
  torch::Tensor tokens(const torch::Tensor& pixels, int block, const torch::Tensor& seen = {}) const;

  /// Back to the content of a model file: f32, with a new fingerprint and no calibration.
  model::LoadedModel to_model() const;

 private:
  int frozen_blocks() const { return config_.backbone.blocks() - options_.trained_blocks; }
  /// Those that frozen() runs.
  int fixed_blocks() const { return options_.prune ? std::min(frozen_blocks(), blocks_before_pruning_) : frozen_blocks(); }
  bool has_weitop() const { return config_.has_weitop(); }
  void check_rho(double rho) const;
  torch::Tensor embed(const torch::Tensor& pixels) const;
  torch::Tensor run_block(int index, const torch::Tensor& tokens, PrunerTwin* pruner = nullptr) const;
  /// Takes `state` from `first` blocks done to `last`, noting WeiToP's input and pruning where its layer is passed.
  void advance(FrozenTokens& state, int first, int last, double rho, PrunerTwin* pruner = nullptr) const;

  model::Config config_;
  NetworkOptions options_;
  int blocks_before_pruning_ = 0;
  std::map<std::string, torch::Tensor> tensors_;
  mutable std::map<std::pair<int, int>, torch::Tensor> resampling_;  // by grid, see vit_twin.h
};

}  // namespace revisit::train

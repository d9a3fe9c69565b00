// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Token pruning in one cut: after a chosen block the K best patches stay, the others are dropped for the rest of the network.
// WeiToP scores patches with its student MLP and their norm; random and norm are its baselines. The best may be asked of every
// part of the picture instead of the picture as a whole.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/model/config.h"
#include "core/tensor/linear.h"
#include "core/tensor/tokens.h"

namespace revisit::reduce {

struct PruneSettings {
  model::PruneKind kind = model::PruneKind::kNone;
  double rho = 1;      ///< share of patches kept, (0, 1]; 1 prunes nothing
  int layer = 1;       ///< blocks run before pruning, 0..depth
  double kappa = 0.5;  ///< weight of the student's logit against the norm, [0, 1] (WeiToP)
  model::NormScale norm_scale = model::NormScale::kMinMax;
  int spread = 1;  ///< patches compete within cells of spread x spread first; 1: in the whole picture at once
  std::uint64_t seed = 0;  ///< of random, which draws anew for each picture
};

/// What the pruner saw, for one image of N0 patches. Filled at rho = 1 too.
struct PruneTrace {
  std::vector<float> logits;  // (N0) output of the student; empty unless WeiToP
  std::vector<float> scores;  // (N0) what the choice is made by, once spread
};

/// Throws Error kUsage unless rho is in (0, 1].
void check_rho(double rho);

/// K = ceil(rho * patches), at least 1. The small slack keeps 0.7 * 10 at 7.
int kept_count(double rho, int patches);

/// The `count` best positions by (score falling, position rising), returned ascending in `kept`. Scores that are not finite
/// count as the lowest.
void choose_best(const std::vector<float>& scores, int count, std::vector<int>& kept);

/// Scores of a grid, row by row, become (members of the cell it beats + min-max of the score) / members of the cell, where cells
/// of `cell` x `cell` patches are cut off at the edges: the best of every whole cell come before the second best of any, and within
/// a rank the score decides; a cell cut off keeps about its share. Which patches score well depends on light; where they lie does
/// not, so that two pictures of a place keep more of the same. Of equal scores the lower index wins; those that are not finite stay so and beat nothing.
/// `scratch` is memory to reuse.
void spread_scores(std::vector<float>& scores, int columns, int cell, std::vector<float>& scratch);

/// One object serves one thread at a time; it must not outlive the model it was made from.
class TokenPruner final : public tensor::TokenHook {
 public:
  /// Throws Error kUsage for settings out of range, for rho < 1 without a pruner, or WeiToP on a model that has none.
  TokenPruner(const PruneSettings& settings, const model::LoadedModel& model);

  const PruneSettings& settings() const { return settings_; }
  void set_rho(double rho);
  /// The picture that comes next. Only random asks: the same cells of every picture would be no chance but a coarser grid.
  void see(std::span<const float> pixels);
  /// Filled at the pruning layer of every following image; null: not wanted.
  void set_trace(PruneTrace* trace) { trace_ = trace; }

  Needs needs(int /*block*/) const override { return Needs::kNothing; }
  void after_attention(int /*block*/, tensor::Tokens& /*tokens*/, const tensor::AttentionView& /*attention*/,
                       tensor::Arena& /*arena*/) override {}
  void after_block(int blocks_done, tensor::Tokens& tokens, tensor::Arena& arena) override;

 private:
  struct Student {
    tensor::Linear first;   // D -> hidden, ReLU
    tensor::Linear second;  // hidden -> 1
  };

  void check(double rho) const;
  void score(tensor::ConstMatrix patches, tensor::Arena& arena);

  PruneSettings settings_;
  std::uint64_t picture_ = 0;  // a hash of its pixels
  std::optional<Student> student_;
  PruneTrace* trace_ = nullptr;
  // Scratch, each (N0).
  std::vector<float> logits_;
  std::vector<float> scores_;
  std::vector<float> spread_;
  std::vector<int> kept_;
};

}  // namespace revisit::reduce

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Methods that drop patches once: after a chosen block the K patches with the best scores stay for the rest of the network. The best
// may be asked of every part of the picture instead of the picture as a whole.
#pragma once

#include <optional>
#include <vector>

#include "engine/reduce/reducer.h"

namespace revisit::reduce {

/// Throws Error kUsage unless rho is in (0, 1].
void check_rho(double rho);

/// K = ceil(rho * patches), at least 1. The small slack keeps 0.7 * 10 at 7.
int kept_count(double rho, int patches);

/// The `count` best positions by (score falling, position rising), returned ascending in `kept`. Scores that are not finite
/// count as the lowest.
void choose_best(const std::vector<float>& scores, int count, std::vector<int>& kept);

/// The smallest number of positions, taken as choose_best takes them, whose softmax(logits / kMassTemperature) sums to at least
/// `mass` in (0, 1]. A logit that is not finite has no mass; all of them are kept when none is finite, and for a mass of 1.
/// `order` is memory to reuse.
int count_of_mass(const std::vector<float>& scores, const std::vector<float>& logits, double mass, std::vector<int>& order);

/// The temperature at which WeiToP learns the aggregator's weights (the recipes' [loss] temperature).
inline constexpr double kMassTemperature = 0.1;

/// Rows come in tiles: `count` of `patches` patches, raised until they fill the last one together with `prefix` tokens.
int fill_tile(int count, int prefix, int patches);

/// (x - min) / (max - min + 1e-6) over the finite values; the others stay as they are.
void min_max(std::span<float> values);

/// Scores of a grid, row by row, become (members of the cell it beats + min-max of the score) / members of the cell, where cells
/// of `cell` x `cell` patches are cut off at the edges: the best of every whole cell come before the second best of any, and
/// within a rank the score decides; a cell cut off keeps about its share. Which patches score well depends on light; where they
/// lie does not, so that two pictures of a place keep more of the same. Of equal scores the lower index wins; those that are not
/// finite stay so and beat nothing. `scratch` is memory to reuse.
void spread_scores(std::vector<float>& scores, int columns, int cell, std::vector<float>& scratch);

/// A method is its scores; the cut is the same for all.
class OneCut : public TokenReducer {
 public:
  explicit OneCut(const DescriptorSpec& spec);
  /// Keeping `rho` after `layer` blocks, whatever the spec says of either.
  OneCut(const DescriptorSpec& spec, double rho, int layer);

  Needs needs(int /*block*/) const override { return Needs::kNothing; }
  void after_attention(int /*block*/, tensor::Tokens& /*tokens*/, const tensor::AttentionView& /*attention*/,
                       tensor::Arena& /*arena*/) override {}
  void after_block(int blocks_done, tensor::Tokens& tokens, tensor::Arena& arena) override;
  int patches_after(int blocks_done, int patches) const override;

 protected:
  /// One score a patch into `scores`, and what a trained scorer said into `logits` where there is one.
  virtual void score(tensor::ConstMatrix patches, std::vector<float>& logits, std::vector<float>& scores, tensor::Arena& arena) = 0;
  /// Whether scores are wanted: to cut, or for a trace.
  bool is_asked() const { return rho_ < 1 || trace_ != nullptr; }

 private:
  int count_to_keep(int patches, int prefix);

  double rho_;
  std::optional<double> mass_;
  int last_count_ = 0;  // kept of the last picture, 0 before there was one; only with mass_
  int layer_;
  int spread_;
  // Scratch, each (N0).
  std::vector<float> logits_;
  std::vector<float> scores_;
  std::vector<float> spread_scratch_;
  std::vector<int> kept_;
};

/// The L2 norm of every patch, brought to [0, 1] unless the spec wants it raw.
void norm_scores(tensor::ConstMatrix patches, bool raw, std::vector<float>& scores);

}  // namespace revisit::reduce

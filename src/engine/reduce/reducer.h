// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What makes the sequence of tokens shorter between blocks: one family a file, all of them in engine/spec/families.h.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/tensor/tokens.h"
#include "engine/model/config.h"
#include "engine/spec/families.h"
#include "revisit/spec.h"

namespace revisit::reduce {

/// What a reducer saw of one image of N0 patches. Filled at rho 1 too.
struct ReduceTrace {
  std::vector<float> logits;  // (N0) what a trained scorer said; empty when there is none
  std::vector<float> scores;  // (N0) what the choice is made by; empty for methods without one score a patch
};

/// What a token becomes that others went into.
enum class Fusion {
  kMean,       // the mean of all of them, weighted by mass
  kTarget,     // what it was
  kLongest,    // the direction of that mean, with the largest of their norms
  kAttention,  // their sum, weighted by the attention of CLS
};

/// One object serves one thread at a time; it must not outlive the model it was made from. The hooks do the work.
class TokenReducer : public tensor::TokenHook {
 public:
  /// The picture that comes next, for methods that depend on more than its tokens.
  virtual void see(std::span<const float> /*pixels*/) {}
  /// How many of so many patches live on once `blocks_done` blocks have run: of the last picture where that depends on the
  /// picture, and the least before there was one.
  virtual int patches_after(int blocks_done, int patches) const = 0;
  /// How many of them the MLP of block `block` sees: as many as its attention unless the method acts between the two.
  virtual int patches_in_mlp(int block, int patches) const { return patches_after(block, patches); }
  /// Whether a merged token counts in the descriptor as often as the patches it stands for, instead of once.
  virtual bool counts_patches() const { return false; }
  /// How it merges in block `block`, for training, which does the same again with gradients.
  virtual Fusion fusion(int /*block*/) const { return Fusion::kMean; }
  /// Multiply-adds of the method itself.
  virtual double macs(int /*patches*/) const { return 0; }

  /// Throws Error kUsage when the settings cannot be meant for pictures of so many patches.
  virtual void check(int /*patches*/) const {}
  /// What the method's own numbers became for pictures of so many patches, one sentence; empty when there is nothing to say.
  virtual std::string sentence(int /*patches*/) const { return {}; }

  /// Filled for every following image; null: not wanted.
  void set_trace(ReduceTrace* trace) { trace_ = trace; }

 protected:
  ReduceTrace* trace_ = nullptr;
};

struct ReducerFamily {
  /// `spec` is complete. Throws Error kUsage for what the model cannot do.
  std::unique_ptr<TokenReducer> (*make)(const DescriptorSpec& spec, const model::LoadedModel& model);
  bool has_logits = false;   ///< whose softmax `keep_mass` can be a share of
  bool has_options = false;  ///< whether `make` reads `prune_options`
};

#define REVISIT_DECLARE(name) extern const ReducerFamily name##_family;
REVISIT_REDUCERS(REVISIT_DECLARE)
#undef REVISIT_DECLARE

/// The reducer a complete spec asks for. Throws Error kUsage for settings out of range and for rho < 1 without a pruner.
std::unique_ptr<TokenReducer> make_reducer(const DescriptorSpec& spec, const model::LoadedModel& model);

}  // namespace revisit::reduce

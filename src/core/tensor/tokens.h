// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The token sequence between transformer blocks, and the hook through which reducers drop and merge patches.
#pragma once

#include <span>
#include <vector>

#include "core/tensor/arena.h"
#include "core/tensor/matrix.h"

namespace revisit::tensor {

/// (prefix + patches, D): CLS first, then R registers, then the patches still alive. Reducers see patches only. A token that
/// others were merged into stands for their patches as well as for its own, the one that `kept` names.
struct Tokens {
  Matrix values;
  int prefix = 1;           // 1 + R
  std::span<int> kept{};    // original index of each living patch, ascending: values.rows - prefix, or none where nobody asks
  int columns = 0;          // of the grid those indices count through, row by row
  std::span<float> mass{};  // number of original patches each living one stands for; size as kept, or none where nobody asks
  std::span<int> owner{};   // (N0) which of `kept` stands for an original patch, -1 for one that was dropped; needs kept

  int patches() const { return values.rows - prefix; }
  Matrix patch_values() const { return values.rows_from(prefix, patches()); }
  Matrix cls() const { return values.rows_from(0, 1); }
};

/// What a block's attention leaves for a hook that asked for it: a row or value per token as they were in that attention, so that
/// of patch i is at prefix + i, whatever it stands for. A token's share of the CLS row grows with its mass only where the hook
/// has attention weigh by mass.
struct AttentionView {
  ConstMatrix keys;                // (tokens, D): all heads side by side; empty unless needs() says kKeys
  const float* cls_row = nullptr;  // (tokens): CLS attention averaged over heads; null unless needs() says kClsRow
};

/// Called by a backbone between and inside blocks; implemented in reduce/. A hook shortens tokens in place.
class TokenHook {
 public:
  enum class Needs { kNothing, kKeys, kClsRow };

  virtual ~TokenHook() = default;

  /// What after_attention wants to see of block `block` (0-based).
  virtual Needs needs(int block) const = 0;
  /// Whether the attention of that block counts a key as often as the patches it stands for, instead of once.
  virtual bool weighs_by_mass(int /*block*/) const { return false; }
  /// Between attention and MLP of block `block`.
  virtual void after_attention(int block, Tokens& tokens, const AttentionView& attention, Arena& arena) = 0;
  /// After `blocks_done` whole blocks; 0 is right after the patch embedding.
  virtual void after_block(int blocks_done, Tokens& tokens, Arena& arena) = 0;
};

/// Keeps the patches at `positions` (ascending, into the living patches) and the prefix; moves rows forward in place.
void keep_patches(Tokens& tokens, const std::vector<int>& positions);

/// Merges each living patch i into the one at `into`[i], which stays: into[into[i]] is into[i], and a patch with into[i] == i is
/// not merged. A target becomes the mean of all that goes into it, weighted by mass; masses add up, its place remains its own.
/// The others move forward in their order. Needs kept, mass and owner. Throws Error kInternal when `into` is not as said.
void merge_patches(Tokens& tokens, std::span<const int> into);

/// Whether a living patch stands for more than itself.
bool any_merged(const Tokens& tokens);

}  // namespace revisit::tensor

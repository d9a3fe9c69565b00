// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The token sequence between transformer blocks, and the hook through which pruners act on it.
#pragma once

#include <span>
#include <vector>

#include "core/tensor/arena.h"
#include "core/tensor/matrix.h"

namespace revisit::tensor {

/// (prefix + patches, D): CLS first, then R registers, then the patches still alive. Pruners see patches only.
struct Tokens {
  Matrix values;
  int prefix = 1;         // 1 + R
  std::span<int> kept{};  // original index of each living patch, ascending: values.rows - prefix, or none where nobody asks
  int columns = 0;        // of the grid those indices count through, row by row

  int patches() const { return values.rows - prefix; }
  Matrix patch_values() const { return values.rows_from(prefix, patches()); }
  Matrix cls() const { return values.rows_from(0, 1); }
};

/// What a block's attention leaves for a hook that asked for it.
struct AttentionView {
  ConstMatrix keys;                // (tokens, D): all heads side by side; empty unless needs() says kKeys
  const float* cls_row = nullptr;  // (tokens): CLS attention averaged over heads; null unless needs() says kClsRow
};

/// Called by vit between and inside blocks; implemented in prune/. A hook shortens tokens in place.
class TokenHook {
 public:
  enum class Needs { kNothing, kKeys, kClsRow };

  virtual ~TokenHook() = default;

  /// What after_attention wants to see of block `block` (0-based).
  virtual Needs needs(int block) const = 0;
  /// Between attention and MLP of block `block`.
  virtual void after_attention(int block, Tokens& tokens, const AttentionView& attention, Arena& arena) = 0;
  /// After `blocks_done` whole blocks; 0 is right after the patch embedding.
  virtual void after_block(int blocks_done, Tokens& tokens, Arena& arena) = 0;
};

/// Keeps the patches at `positions` (ascending, into the living patches) and the prefix; moves rows forward in place.
void keep_patches(Tokens& tokens, const std::vector<int>& positions);

}  // namespace revisit::tensor

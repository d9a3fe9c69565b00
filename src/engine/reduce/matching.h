// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Bipartite soft matching, as ToMe does it: every other token may go into the token of the rest that is most like it, and the
// pairs most alike do. Symbols: k_i the key of token i, mean over heads, of length 1; A the tokens at even places of the
// sequence, CLS first, B the others.
//   each token of A is matched with the token of B that has the largest k_a . k_b; the r best matches merge, never that of CLS
// Afterwards the sequence is [A without them, B]; who is in A next time hangs on that order. Tokens keep theirs, so it is kept
// here. Registers are in neither.
#pragma once

#include <span>
#include <vector>

#include "core/tensor/arena.h"
#include "core/tensor/tokens.h"

namespace revisit::reduce {

/// How many of so many patches may merge at once: those of A.
inline int most_merged(int patches) { return patches / 2; }

class Matching {
 public:
  explicit Matching(int heads) : heads_(heads) {}

  /// A new picture.
  void restart(int patches);
  /// The r best matches (at most most_merged()) for tensor::merge_patches, in the arena; the order is that after merging. `keys`
  /// as in AttentionView.
  std::span<const int> match(const tensor::Tokens& tokens, tensor::ConstMatrix keys, int r, tensor::Arena& arena);

  /// Positions of the living patches as the method counts them.
  const std::vector<int>& order() const { return order_; }

 private:
  int heads_;
  std::vector<int> order_;
  // Scratch.
  std::vector<int> best_, merged_, next_;
  std::vector<float> products_;
};

/// Multiply-adds of matching so many patches by keys of one head.
inline double matching_macs(int patches, int head_dim) {
  return static_cast<double>(patches / 2) * ((patches + 1) / 2) * head_dim;
}

}  // namespace revisit::reduce

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Methods that shorten the sequence in several blocks, each time by a number of their own: the number that makes a share rho of
// all.
#pragma once

#include <cstdlib>
#include <vector>

#include "engine/reduce/reducer.h"

namespace revisit::reduce {

/// Between attention and MLP of its blocks.
class InBlock : public TokenReducer {
 public:
  void after_block(int /*blocks_done*/, tensor::Tokens& /*tokens*/, tensor::Arena& /*arena*/) override {}
  int patches_in_mlp(int block, int patches) const override { return patches_after(block + 1, patches); }
};

/// The number in [low, high] with which `left(number)`, which never grows with the number's rank, comes nearest to rho of the
/// patches; of two as near the one that leaves more. `Number` counts through the candidates: an int, or steps of a finer unit.
template <typename Left>
int number_for(double rho, int patches, int low, int high, const Left& left) {
  const double wanted = rho * patches;
  while (high - low > 1) {  // left(low) >= wanted >= left(high), or one of them is an end
    const int middle = low + (high - low) / 2;
    (left(middle) >= wanted ? low : high) = middle;
  }
  return std::abs(left(high) - wanted) < std::abs(left(low) - wanted) ? high : low;
}

/// The blocks that cut a network of `depth` blocks into stages + 1 even parts: 3, 6, 9 of 12.
std::vector<int> even_blocks(int depth, int stages);

/// "3, 6 and 9"
std::string blocks_text(const std::vector<int>& blocks);

/// "265 of 529 patches are left"
std::string left_text(int left, int patches);

}  // namespace revisit::reduce

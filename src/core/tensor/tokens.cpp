// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Dropping patches from a token sequence.
#include "core/tensor/tokens.h"

#include <cstring>

namespace revisit::tensor {

void keep_patches(Tokens& tokens, const std::vector<int>& positions) {
  const int count = static_cast<int>(positions.size());
  const Matrix patches = tokens.patch_values();
  for (int i = 0; i < count; ++i) {
    const int from = positions[static_cast<std::size_t>(i)];
    if (from == i) continue;  // positions ascend, so a row only ever moves forward
    std::memcpy(patches.row(i), patches.row(from), sizeof(float) * static_cast<std::size_t>(patches.cols));
    if (!tokens.kept.empty()) tokens.kept[static_cast<std::size_t>(i)] = tokens.kept[static_cast<std::size_t>(from)];
  }
  if (!tokens.kept.empty()) tokens.kept = tokens.kept.first(positions.size());
  tokens.values.rows = tokens.prefix + count;
}

}  // namespace revisit::tensor

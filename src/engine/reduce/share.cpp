// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Words and numbers that several methods share.
#include "engine/reduce/share.h"

#include <fmt/format.h>

namespace revisit::reduce {

std::vector<int> even_blocks(int depth, int stages) {
  std::vector<int> out;
  for (int s = 1; s <= stages; ++s) {
    const int block = s * depth / (stages + 1);
    if (out.empty() || block > out.back()) out.push_back(block);
  }
  return out;
}

std::string blocks_text(const std::vector<int>& blocks) {
  std::string out = blocks.size() > 1 ? "blocks " : "block ";
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    out += fmt::format("{}{}", i == 0 ? "" : i + 1 < blocks.size() ? ", " : " and ", blocks[i]);
  }
  return out;
}

std::string left_text(int left, int patches) {
  return fmt::format("{} of {} patches are left ({:.3f})", left, patches, static_cast<double>(left) / patches);
}

}  // namespace revisit::reduce

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The links of an HNSW graph as stored in a file. hnswlib's own loader trusts every number in its file, so it is not used:
// here each link is checked before a graph is made of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace revisit::retrieval {

inline constexpr int kGraphLinks = 16;     ///< of an element on an upper level; twice as many on level 0
inline constexpr int kMaxGraphLevel = 24;  ///< 16^8 elements would reach level 8

struct GraphLinks {
  std::uint32_t entry = 0;           ///< where every search starts: an element of the highest level
  std::vector<std::uint8_t> levels;  ///< (elements)
  std::vector<std::uint32_t> lists;  ///< element by element, level 0 first: how many, then the neighbours

  int top_level() const { return levels.empty() ? -1 : levels[entry]; }
};

inline std::uint32_t most_links(int level) { return static_cast<std::uint32_t>(level == 0 ? 2 * kGraphLinks : kGraphLinks); }

/// entry u32, levels u8 each, lists u32 each.
std::vector<std::byte> encode_links(const GraphLinks& links);

/// Error kBadFile, naming the element, when a link leads nowhere, there are too many, or bytes are left over.
GraphLinks parse_links(std::span<const std::byte> payload, std::uint64_t elements, const std::string& name);

}  // namespace revisit::retrieval

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Graph files: written, read and checked.
#include "retrieval/search/graph_links.h"

#include <algorithm>
#include <cstring>

#include "core/base/byte_reader.h"
#include "core/base/fail.h"
#include "core/base/stop_scope.h"

namespace revisit::retrieval {

std::vector<std::byte> encode_links(const GraphLinks& links) {
  std::vector<std::byte> out(sizeof(links.entry) + links.levels.size() + links.lists.size() * sizeof(std::uint32_t));
  std::byte* to = out.data();
  std::memcpy(to, &links.entry, sizeof(links.entry));
  to += sizeof(links.entry);
  std::copy_n(reinterpret_cast<const std::byte*>(links.levels.data()), links.levels.size(), to);
  to += links.levels.size();
  std::copy_n(reinterpret_cast<const std::byte*>(links.lists.data()), links.lists.size() * sizeof(std::uint32_t), to);
  return out;
}

GraphLinks parse_links(std::span<const std::byte> payload, std::uint64_t elements, const std::string& name) {
  ByteReader reader(payload, name, ErrorCode::kBadFile);
  GraphLinks out;
  out.entry = reader.u32("entry");
  const auto levels = reader.take(elements, "levels");
  out.levels.resize(elements);
  std::transform(levels.begin(), levels.end(), out.levels.begin(), [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
  if (out.entry >= elements)
    fail(ErrorCode::kBadFile, "'{}' has entry element {}, but only {} elements", name, out.entry, elements);
  const int top = *std::max_element(out.levels.begin(), out.levels.end());
  if (top > kMaxGraphLevel) fail(ErrorCode::kBadFile, "'{}' has level {}, the limit is {}", name, top, kMaxGraphLevel);
  if (out.levels[out.entry] != top) {
    fail(ErrorCode::kBadFile, "'{}' has its entry element on level {}, but its highest level is {}", name,
         int{out.levels[out.entry]}, top);
  }
  out.lists.reserve(reader.remaining() / sizeof(std::uint32_t));
  StopTicker ticker;
  for (std::uint64_t element = 0; element < elements; ++element) {
    for (int level = 0; level <= out.levels[element]; ++level) {
      const std::uint32_t count = reader.u32("number of links");
      ticker.step(1 + count);
      if (count > most_links(level)) {
        fail(ErrorCode::kBadFile, "'{}': element {} has {} links on level {}, the limit is {}", name, element, count, level,
             most_links(level));
      }
      out.lists.push_back(count);
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t link = reader.u32("link");
        if (link >= elements || link == element || out.levels[link] < level) {
          fail(ErrorCode::kBadFile, "'{}': element {} of {} has the link {} on level {}", name, element, elements, link, level);
        }
        out.lists.push_back(link);
      }
    }
  }
  if (!reader.at_end()) fail(ErrorCode::kBadFile, "'{}' has {} bytes after its last link", name, reader.remaining());
  return out;
}

}  // namespace revisit::retrieval

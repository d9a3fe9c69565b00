// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Strict UTF-8: no overlong form, no surrogate, nothing above U+10FFFF.
#pragma once

#include <cstdint>
#include <string_view>

namespace revisit::model {

inline bool is_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const int more = lead >= 0xC2 && lead < 0xE0 ? 1 : lead >= 0xE0 && lead < 0xF0 ? 2 : lead >= 0xF0 && lead < 0xF5 ? 3 : 0;
    if (more == 0 || text.size() - i <= static_cast<std::size_t>(more)) return false;
    std::uint32_t point = lead & (0x3FU >> more);
    for (int k = 1; k <= more; ++k) {
      const auto next = static_cast<unsigned char>(text[i + static_cast<std::size_t>(k)]);
      if ((next & 0xC0) != 0x80) return false;
      point = (point << 6) | (next & 0x3FU);
    }
    const bool overlong = (more == 2 && point < 0x800) || (more == 3 && point < 0x10000);
    const bool surrogate = point >= 0xD800 && point < 0xE000;
    if (overlong || surrogate || point > 0x10FFFF) return false;
    i += static_cast<std::size_t>(more) + 1;
  }
  return true;
}

}  // namespace revisit::model

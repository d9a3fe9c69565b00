// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Names from untrusted files, made safe for one line of an error message.
#pragma once

#include <string>
#include <string_view>

namespace revisit {

/// Control bytes (a terminal could obey them) become '?', and text over 120 bytes is cut.
inline std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 120;
  std::string out(text.substr(0, kLongest));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  if (text.size() > kLongest) out += "...";
  return out;
}

}  // namespace revisit

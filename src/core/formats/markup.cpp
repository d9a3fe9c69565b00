// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Character by character: what cannot be shown is replaced, what has a meaning in markup is escaped.
#include "core/formats/markup.h"

#include "core/formats/utf8.h"

namespace revisit {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// Neither a control character nor one that XML lacks.
bool can_be_shown(std::string_view letter) {
  const auto first = static_cast<unsigned char>(letter.front());
  return first >= 0x20 && first != 0x7F && letter != "\xEF\xBF\xBE" && letter != "\xEF\xBF\xBF";
}

}  // namespace

std::string without_controls(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    out += length == 0 || !can_be_shown(text.substr(0, length)) ? std::string_view(kReplacement) : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string escaped_markup(std::string_view text) {
  std::string out;
  for (const char c : without_controls(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Character by character: a UTF-8 character, or a single byte that belongs to none.
#include "core/formats/escape.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/formats/utf8.h"

namespace revisit {
namespace {

constexpr std::size_t kEscapeBytes = 4;  // "\x1b"

/// Value of a lowercase hexadecimal digit, -1 for anything else.
int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool starts_with_escape(std::string_view text) {
  return text.size() >= kEscapeBytes && text.starts_with("\\x") && hex_value(text[2]) >= 0 && hex_value(text[3]) >= 0;
}

/// `letter` is one well-formed character.
bool is_control(std::string_view letter) {
  const auto first = static_cast<unsigned char>(letter.front());
  if (letter.size() == 1) return first < 0x20 || first == 0x7F;
  return first == 0xC2 && static_cast<unsigned char>(letter[1]) < 0xA0;
}

}  // namespace

std::string escaped_bytes(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto letter = text.substr(0, std::max<std::size_t>(1, length));
    if (length == 0 || is_control(letter) || starts_with_escape(text)) {
      for (const char c : letter) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += letter;
    }
    text.remove_prefix(letter.size());
  }
  return out;
}

std::string unescaped_bytes(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const bool escape = starts_with_escape(text);
    out += escape ? static_cast<char>(16 * hex_value(text[2]) + hex_value(text[3])) : text.front();
    text.remove_prefix(escape ? kEscapeBytes : 1);
  }
  return out;
}

}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Texts cut to fit.
#include "engine/model/provenance.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/model/config_check.h"
#include "engine/model/utf8.h"

namespace revisit::model {
namespace {

std::string cut(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  most -= std::min<std::size_t>(most, 3);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;  // not within a character
  return text.substr(0, most) + "...";
}

}  // namespace

std::string as_utf8(const std::string& text) {
  if (is_utf8(text)) return text;
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x80 ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return out;
}

std::string trained_from(const std::string& earlier) {
  constexpr const char* kStart = "trained from ";
  const std::string text = as_utf8(earlier);
  return cut(text.starts_with(kStart) ? text : kStart + text, kMaxTextBytes);
}

std::string history(const std::string& earlier, const std::string& latest) {
  const std::string end = cut(as_utf8(latest), kMaxTextBytes / 2);
  return cut(as_utf8(earlier), kMaxTextBytes - 2 - end.size()) + "; " + end;
}

}  // namespace revisit::model

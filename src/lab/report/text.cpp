// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Escaping and encoding, and files that appear whole.
#include "lab/report/text.h"

#include "core/base/fail.h"
#include "core/base/file.h"
#include "core/formats/utf8.h"

namespace revisit::report {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// Neither a control character nor one that XML has not.
bool can_be_shown(std::string_view letter) {
  const auto first = static_cast<unsigned char>(letter.front());
  return first >= 0x20 && first != 0x7F && letter != "\xEF\xBF\xBE" && letter != "\xEF\xBF\xBF";
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    out += length == 0 || !can_be_shown(text.substr(0, length)) ? std::string_view(kReplacement) : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
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

std::string base64(std::span<const std::byte> bytes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    unsigned bits = 0;
    for (std::size_t j = 0; j < 3; ++j) bits = bits << 8U | (j < left ? std::to_integer<unsigned>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j) out += j <= left ? kLetters[bits >> (18U - 6U * j) & 63U] : '=';
  }
  return out;
}

void write_text(const std::filesystem::path& file, std::string_view text) {
  AtomicFile out(file);
  out.write(text);
  out.commit();
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail(ErrorCode::kIo, "cannot make the folder '{}': {}", folder.string(), error.message());
}

}  // namespace revisit::report

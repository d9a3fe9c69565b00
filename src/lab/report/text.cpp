// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Escaping and encoding, and files that appear whole.
#include "lab/report/text.h"

#include "core/base/fail.h"
#include "core/base/file.h"

namespace revisit::report {
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
  if (error) fail(ErrorCode::kIo, "cannot create the folder '{}': {}", folder.string(), error.message());
}

}  // namespace revisit::report

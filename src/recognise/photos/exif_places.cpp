// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Walks the segments of a JPEG file, the chunks of PNG and WebP, up to the one with EXIF.
#include "recognise/photos/exif_places.h"

#include <cstdint>
#include <string_view>

#include "core/base/file.h"
#include "core/formats/text.h"
#include "core/image/exif.h"

namespace revisit {
namespace {

using Bytes = std::span<const std::byte>;

std::uint32_t big_endian(Bytes bytes, std::size_t at, std::size_t count) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < count; ++i) out = out << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
  return out;
}

bool has_at(Bytes bytes, std::size_t at, std::string_view text) {
  if (at > bytes.size() || text.size() > bytes.size() - at) return false;
  return std::string_view(reinterpret_cast<const char*>(bytes.data()) + at, text.size()) == text;
}

Bytes without_prefix(Bytes payload) {
  using namespace std::string_view_literals;
  return has_at(payload, 0, "Exif\0\0"sv) ? payload.subspan(6) : payload;
}

Bytes in_jpeg(Bytes file) {
  using namespace std::string_view_literals;
  std::size_t at = 2;
  while (at + 4 <= file.size() && file[at] == std::byte{0xFF}) {
    const auto marker = std::to_integer<unsigned>(file[at + 1]);
    if (marker == 0xFF) {  // a fill byte
      ++at;
      continue;
    }
    const std::size_t length = big_endian(file, at + 2, 2);
    if (marker == 0xDA || length < 2 || length > file.size() - at - 2) return {};  // pixels begin, or the file is cut
    if (marker == 0xE1 && has_at(file, at + 4, "Exif\0\0"sv)) return without_prefix(file.subspan(at + 4, length - 2));
    at += 2 + length;
  }
  return {};
}

// Chunks from `at` on: PNG puts a big-endian length before the name and a checksum behind, RIFF a little-endian length after the
// name.
Bytes in_chunks(Bytes file, std::size_t at, bool png, std::string_view wanted) {
  while (at + 8 <= file.size()) {
    const std::size_t length = png ? big_endian(file, at, 4) : __builtin_bswap32(big_endian(file, at + 4, 4));
    if (length > file.size() - at - 8) return {};
    if (has_at(file, at + (png ? 4 : 0), wanted)) return without_prefix(file.subspan(at + 8, length));
    at += 8 + length + (png ? 4 : length % 2);
  }
  return {};
}

}  // namespace

std::span<const std::byte> exif_of(std::span<const std::byte> file) {
  if (has_at(file, 0, "\xFF\xD8")) return in_jpeg(file);
  if (has_at(file, 0, "\x89PNG\r\n\x1A\n")) return in_chunks(file, 8, true, "eXIf");
  if (has_at(file, 0, "RIFF") && has_at(file, 8, "WEBP")) return in_chunks(file, 12, false, "EXIF");
  return {};
}

void place_by_exif(Photo& photo) {
  PhotoInfo info;
  try {
    const MappedFile file(photo.path);
    const auto exif = exif_of(file.bytes());
    if (exif.empty()) return;
    read_exif(exif, info);
  } catch (const Error&) {
    return;
  }
  place_by(info, photo);
}

void place_by(const PhotoInfo& info, Photo& photo) {
  if (info.lat_deg && info.lon_deg) {
    photo.position = position_from({*info.lat_deg, *info.lon_deg});
    photo.position->heading_deg = info.heading_deg;
  }
  if (info.time) photo.time_s = parse_time(*info.time);
}

}  // namespace revisit

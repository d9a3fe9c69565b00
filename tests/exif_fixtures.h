// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Writes EXIF (TIFF) structures of either byte order for tests, valid or not.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "image_fixtures.h"

namespace revisit::testing {

class ExifWriter {
 public:
  using Rational = std::pair<std::uint32_t, std::uint32_t>;
  enum Directory { kMain, kExif, kGps };

  explicit ExifWriter(bool big_endian = false) : big_endian_(big_endian) {}

  ExifWriter& shorts(Directory d, int tag, std::uint16_t value) { return add(d, tag, 3, 1, u16(value)); }
  ExifWriter& longs(Directory d, int tag, std::uint32_t value) { return add(d, tag, 4, 1, u32(value)); }
  ExifWriter& byte(Directory d, int tag, int value) { return add(d, tag, 1, 1, {std::byte(value)}); }
  ExifWriter& text(Directory d, int tag, std::string value) {
    value.push_back('\0');
    return add(d, tag, 2, static_cast<std::uint32_t>(value.size()), to_bytes(value));
  }
  ExifWriter& rationals(Directory d, int tag, const std::vector<Rational>& values) {
    Bytes bytes;
    for (const auto& [above, below] : values) bytes = join({bytes, u32(above), u32(below)});
    return add(d, tag, 5, static_cast<std::uint32_t>(values.size()), bytes);
  }
  /// An entry with `count` values of which only `bytes` are there.
  ExifWriter& add(Directory d, int tag, int type, std::uint32_t count, Bytes bytes) {
    entries_[d].push_back({tag, type, count, std::move(bytes), false});
    return *this;
  }
  /// An entry whose values are said to be at `offset`.
  ExifWriter& add_at(Directory d, int tag, int type, std::uint32_t count, std::uint32_t offset) {
    entries_[d].push_back({tag, type, count, u32(offset), true});
    return *this;
  }

  ExifWriter& position(const std::vector<Rational>& lat, const std::string& lat_ref, const std::vector<Rational>& lon,
                       const std::string& lon_ref) {
    return text(kGps, 1, lat_ref).rationals(kGps, 2, lat).text(kGps, 3, lon_ref).rationals(kGps, 4, lon);
  }

  Bytes build() {
    if (!entries_[kExif].empty()) longs(kMain, 0x8769, 0);
    if (!entries_[kGps].empty()) longs(kMain, 0x8825, 0);
    // Layout: header, the three directories, then values that do not fit an entry.
    std::array<std::uint32_t, 3> start{};
    std::uint32_t end = 8;
    for (int d = 0; d < 3; ++d) {
      start[static_cast<std::size_t>(d)] = end;
      if (d == kMain || !entries_[d].empty()) end += 2 + 12 * static_cast<std::uint32_t>(entries_[d].size()) + 4;
    }
    Bytes out = join({to_bytes(big_endian_ ? "MM" : "II"), u16(42), u32(8)});
    Bytes values;
    for (int d = 0; d < 3; ++d) {
      if (d != kMain && entries_[d].empty()) continue;
      out = join({out, u16(static_cast<std::uint16_t>(entries_[d].size()))});
      for (Entry& entry : entries_[d]) {
        if (d == kMain && entry.type == 4 && entry.tag == 0x8769 && !entries_[kExif].empty()) entry.bytes = u32(start[kExif]);
        if (d == kMain && entry.type == 4 && entry.tag == 0x8825 && !entries_[kGps].empty()) entry.bytes = u32(start[kGps]);
        Bytes inside = entry.bytes;
        if (inside.size() > 4 && !entry.raw_offset) {
          inside = u32(end + static_cast<std::uint32_t>(values.size()));
          values = join({values, entry.bytes});
        }
        inside.resize(4);
        out = join({out, u16(static_cast<std::uint16_t>(entry.tag)), u16(static_cast<std::uint16_t>(entry.type)),
                    u32(entry.count), inside});
      }
      out = join({out, u32(0)});
    }
    return join({out, values});
  }

  Bytes u16(std::uint16_t v) const {
    const Bytes le = {std::byte(v & 255), std::byte(v >> 8)};
    return big_endian_ ? Bytes{le[1], le[0]} : le;
  }
  Bytes u32(std::uint32_t v) const { return big_endian_ ? u32_be(v) : u32_le(v); }

 private:
  struct Entry {
    int tag;
    int type;
    std::uint32_t count;
    Bytes bytes;
    bool raw_offset;
  };
  bool big_endian_;
  std::array<std::vector<Entry>, 3> entries_;
};

/// The payload of JPEG's APP1 marker.
inline std::pair<int, Bytes> exif_marker(const Bytes& tiff) {
  return {JPEG_APP0 + 1, join({to_bytes(std::string_view("Exif\0\0", 6)), tiff})};
}

}  // namespace revisit::testing

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Lines of the photos table: read with suspicion, written, sealed.
#include "retrieval/store/line.h"

#include <xxhash.h>

#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "core/base/fail.h"
#include "core/base/limits.h"

namespace revisit::retrieval {
namespace {

constexpr int kFirstOfPlace = 6;  // column of east_m
constexpr int kPlaceColumns = 6;

std::optional<Position> read_position(const Statement& line, int first, std::int64_t row, const std::string& file) {
  const auto east = line.optional_real(first, "east_m", row);
  const auto north = line.optional_real(first + 1, "north_m", row);
  const auto lat = line.optional_real(first + 2, "lat_deg", row);
  const auto lon = line.optional_real(first + 3, "lon_deg", row);
  const auto heading = line.optional_real(first + 4, "heading_deg", row);
  if (!east && !north && !lat && !lon && !heading) return std::nullopt;
  if (!east || !north || lat.has_value() != lon.has_value()) {
    fail(ErrorCode::kBadFile, "'{}': the position of row {} has only some of its numbers", file, row);
  }
  Position out{*east, *north, std::nullopt, heading};
  if (lat) {
    if (std::abs(*lat) > 90 || std::abs(*lon) > 540) {
      fail(ErrorCode::kBadFile, "'{}': the position of row {} is off the globe: {}, {}", file, row, *lat, *lon);
    }
    out.geographic = LatLon{*lat, *lon};
  }
  return out;
}

// The counterpart of read_position, and the time after it.
std::array<std::optional<double>, kPlaceColumns> place_of(const IndexEntry& entry) {
  std::array<std::optional<double>, kPlaceColumns> out;
  if (entry.position) {
    out[0] = entry.position->east_m;
    out[1] = entry.position->north_m;
    out[4] = entry.position->heading_deg;
    if (entry.position->geographic) {
      out[2] = entry.position->geographic->lat_deg;
      out[3] = entry.position->geographic->lon_deg;
    }
  }
  out[5] = entry.time_s;
  return out;
}

void put_number(std::string& bytes, std::uint64_t value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof(value)); }

void put_text(std::string& bytes, const std::string& value) {
  put_number(bytes, value.size());
  bytes += value;
}

}  // namespace

Line read_line(const Statement& statement, const std::string& file) {
  Line out;
  const std::int64_t row = statement.integer(0, "row", -1);
  if (row < 0 || row >= limits::kMaxIndexRows) fail(ErrorCode::kBadFile, "'{}' has a row {}", file, row);
  out.row = static_cast<int>(row);
  out.entry.name = statement.text(1, "name", row, limits::kMaxIndexName);
  out.entry.path = statement.text(2, "path", row, limits::kMaxIndexName);
  out.entry.content_hash = static_cast<std::uint64_t>(statement.integer(3, "content_hash", row));
  out.checksum = static_cast<std::uint64_t>(statement.integer(4, "checksum", row));
  out.live = statement.integer(5, "live", row);
  out.entry.position = read_position(statement, kFirstOfPlace, row, file);
  out.entry.time_s = statement.optional_real(kFirstOfPlace + 5, "time_s", row);
  out.seal = statement.integer(kFirstOfPlace + kPlaceColumns, "seal", row);
  return out;
}

void bind_place(Statement& statement, int first, const IndexEntry& entry) {
  for (const auto& value : place_of(entry)) statement.bind(first++, value);
}

void bind_line(Statement& statement, const Line& line, std::uint64_t identity) {
  statement.bind(1, std::int64_t{line.row});
  statement.bind(2, std::string_view(line.entry.name)).bind(3, std::string_view(line.entry.path));
  statement.bind(4, static_cast<std::int64_t>(line.entry.content_hash)).bind(5, static_cast<std::int64_t>(line.checksum));
  statement.bind(6, line.live);
  bind_place(statement, kFirstOfPlace + 1, line.entry);
  statement.bind(kFirstOfPlace + kPlaceColumns + 1, seal_of(line, identity));
}

// Whole numbers of 8 bytes, little-endian, then the texts, each after its length: no two lines give the same bytes.
std::int64_t seal_of(const Line& line, std::uint64_t identity) {
  std::string bytes;
  bytes.reserve(256 + line.entry.name.size() + line.entry.path.size());
  put_number(bytes, identity);
  put_number(bytes, static_cast<std::uint64_t>(line.row));
  put_number(bytes, line.entry.content_hash);
  put_number(bytes, line.checksum);
  put_number(bytes, static_cast<std::uint64_t>(line.live));
  for (const auto& value : place_of(line.entry)) {
    put_number(bytes, value.has_value() ? 1 : 0);
    // SQLite does not keep the sign of a zero.
    put_number(bytes, value.value_or(0) == 0 ? 0 : std::bit_cast<std::uint64_t>(*value));
  }
  put_text(bytes, line.entry.name);
  put_text(bytes, line.entry.path);
  return static_cast<std::int64_t>(XXH3_64bits(bytes.data(), bytes.size()));
}

}  // namespace revisit::retrieval

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One line of the photos table, and its seal: a checksum over all its fields, so that a bit that flips on disk does not
// move a photo to another place. It covers `live` too: a flipped one would hide a photo, or bring a replaced one back.
#pragma once

#include <cstdint>
#include <string>

#include "retrieval/files/database.h"
#include "revisit/index.h"

namespace revisit::retrieval {

struct Line {
  int row = 0;
  IndexEntry entry;
  std::uint64_t checksum = 0;  ///< of the row in vectors.bin
  std::int64_t live = 1;       ///< 0: a newer row took the name
  std::int64_t seal = 0;       ///< as stored; not there in version 1
};

/// Of the photos table, in the order in which read_line() and bind_line() know them; the seal follows them.
inline constexpr const char* kLineColumns =
    "row, name, path, content_hash, checksum, live, east_m, north_m, lat_deg, lon_deg, heading_deg, time_s";

/// Types and bounds are checked, the seal is not. Error kBadFile names `file`, the field and the row.
Line read_line(const Statement& statement, const std::string& file);

/// The six columns of place and time.
void bind_place(Statement& statement, int first, const IndexEntry& entry);
/// All columns of a line, sealed, from parameter 1 on.
void bind_line(Statement& statement, const Line& line, std::uint64_t identity);

/// `identity` is the index's: a line fits only the row and the index it was written for.
std::int64_t seal_of(const Line& line, std::uint64_t identity);

}  // namespace revisit::retrieval

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The file names of GSV-Cities: {city_id}_{place_id:07}_{year:04}_{month:02}_{northdeg:03}_{lat}_{lon}_{panoid}.jpg, whose
// coordinates were written by a program that had read them from the table and may have rounded the last digit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/salted_hash.h"

namespace revisit::feed {

/// A row of Dataframes/<City>.csv; the coordinates as written there.
struct GsvRow {
  std::string city_id;
  std::int64_t place_id = 0;
  int year = 0;
  int month = 0;
  int northdeg = 0;
  std::string lat;
  std::string lon;
  std::string panoid;
};

/// Without the extension; `lat` and `lon` stand in for the row's.
std::string gsv_stem(const GsvRow& row, const std::string& lat, const std::string& lon);

/// As Python's str() writes the number: the fewest digits that read back as the same, "13.0" for 13. Empty if it is not a number.
std::string shortest_text(const std::string& number);

/// The names in one folder of pictures, read once. Opening it throws Error kNotFound.
class GsvFolder {
 public:
  explicit GsvFolder(const std::filesystem::path& folder);

  /// The row's picture: by the table's own digits, by the shortest digits, then by city, place and panorama alone.
  std::optional<std::string> find(const GsvRow& row);

 private:
  std::optional<std::string> with_extension(const std::string& stem) const;
  void index_by_panorama(const std::string& city_id);

  NameSet names_;
  std::string indexed_city_;          // of by_panorama_
  NameMap<std::string> by_panorama_;  // "place_id panoid" to name; made when first needed
};

}  // namespace revisit::feed

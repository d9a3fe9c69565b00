// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Files that say where and when photos were taken: csv tables and GeoJSON points.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/salted_hash.h"
#include "revisit/photos.h"

namespace revisit {

struct PlacedPhoto {
  std::optional<Position> position;  ///< empty when the row leaves it blank
  std::optional<double> time_s;
  std::uint64_t row = 0;  ///< line of the csv file, number of the feature
  bool used = false;
};

struct PositionTable {
  NameMap<PlacedPhoto> photos;  ///< by the name in the file
  bool geographic = false;      ///< every place is a latitude and longitude, none is metres on a plane
};

/// image,lat,lon or image,east,north, and optionally heading_deg, time. With all four, metres are for rows whose
/// latitude and longitude are blank. Throws Error kBadFile with the line.
PositionTable parse_positions_csv(std::string_view text, const std::string& file);

/// A FeatureCollection of Points whose properties name the photo as "image" or "name". Throws Error kBadFile with the feature's
/// number.
PositionTable parse_geojson(std::string_view text, const std::string& file, std::vector<std::string>& notes);

/// Either of the two, told apart by content.
PositionTable read_positions(const std::filesystem::path& path, std::vector<std::string>& notes);

/// Gives each photo the data of its row, if it has one; names in the table may be NAME or FOLDER/NAME. Returns how
/// many photos share a row that another photo had used.
std::size_t place_by_table(std::vector<Photo>& photos, const std::string& folder, PositionTable& table);

/// Adds `photo` unless the name is taken: then returns the number of the row that has it, else 0.
std::uint64_t add_photo(PositionTable& table, const std::string& name, const PlacedPhoto& photo);

}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The csv form of positions, and the choice between the two forms.
#include "recognise/photos/positions.h"

#include <cmath>

#include "core/base/limits.h"
#include "core/formats/csv.h"
#include "core/formats/printable.h"
#include "core/formats/text.h"
#include "recognise/photos/photos.h"

namespace revisit {
namespace {

struct Plane {
  std::size_t east, north;
};

struct Columns {
  std::size_t image;
  std::size_t first;   // latitude or east
  std::size_t second;  // longitude or north
  bool geographic;
  std::optional<Plane> plane;  // in addition to latitude and longitude: for photos without these
  std::optional<std::size_t> heading;
  std::optional<std::size_t> time;
};

Columns columns_of(const CsvReader& csv, const std::string& file) {
  Columns out{};
  out.image = csv.required_column({"image", "name", "file", "filename"});
  out.heading = csv.column({"heading_deg", "heading"});
  out.time = csv.column({"time", "timestamp"});
  const auto lat = csv.column({"lat", "latitude", "lat_deg"});
  const auto lon = csv.column({"lon", "lng", "longitude", "lon_deg"});
  const auto east = csv.column({"east", "easting", "utm_east", "east_m"});
  const auto north = csv.column({"north", "northing", "utm_north", "north_m"});
  out.geographic = lat && lon;
  if (!out.geographic && !(east && north)) {
    fail_with_hint(ErrorCode::kBadFile, "its first line should read image,lat,lon or image,east,north",
                   "'{}' has neither the columns lat and lon nor east and north", file);
  }
  out.first = out.geographic ? *lat : *east;
  out.second = out.geographic ? *lon : *north;
  if (out.geographic && east && north) out.plane = {*east, *north};
  return out;
}

double number_at(const CsvReader& csv, std::size_t column, const char* what) {
  const auto out = parse_number(csv.cell(column));
  if (!out) csv.fail_here("the {} '{}' is not a number", what, printable(csv.cell(column)));
  return *out;
}

bool are_blank(const CsvReader& csv, std::size_t first, std::size_t second) {
  return trimmed(csv.cell(first)).empty() && trimmed(csv.cell(second)).empty();
}

Position plane_position_at(const CsvReader& csv, Plane columns) {
  Position out;
  out.east_m = number_at(csv, columns.east, "east");
  out.north_m = number_at(csv, columns.north, "north");
  if (std::abs(out.east_m) > limits::kMaxPlaneMetres || std::abs(out.north_m) > limits::kMaxPlaneMetres) {
    csv.fail_here("east {} m, north {} m is more than {} m away from the origin", out.east_m, out.north_m,
                  limits::kMaxPlaneMetres);
  }
  return out;
}

Position geographic_position_at(const CsvReader& csv, const Columns& columns) {
  const double lat = number_at(csv, columns.first, "latitude"), lon = number_at(csv, columns.second, "longitude");
  try {
    return position_from({lat, lon});
  } catch (const Error& error) {
    csv.fail_here("{}", error.what());
  }
}

/// Empty when the cells are blank.
std::optional<Position> position_at(const CsvReader& csv, const Columns& columns) {
  if (!are_blank(csv, columns.first, columns.second)) {
    return columns.geographic ? geographic_position_at(csv, columns) : plane_position_at(csv, {columns.first, columns.second});
  }
  if (columns.plane && !are_blank(csv, columns.plane->east, columns.plane->north)) return plane_position_at(csv, *columns.plane);
  return std::nullopt;
}

}  // namespace

std::uint64_t add_photo(PositionTable& table, const std::string& name, const PlacedPhoto& photo) {
  const auto [at, added] = table.photos.emplace(name.starts_with("./") ? name.substr(2) : name, photo);
  return added ? 0 : at->second.row;
}

PositionTable parse_positions_csv(std::string_view text, const std::string& file) {
  CsvReader csv(text, file);
  const Columns columns = columns_of(csv, file);
  PositionTable out;
  out.geographic = columns.geographic;
  while (csv.next()) {
    const std::string name = csv.text(columns.image);
    if (name.empty()) csv.fail_here("the name of the photo is empty");
    PlacedPhoto photo;
    photo.row = csv.line();
    photo.position = position_at(csv, columns);
    if (photo.position && !photo.position->geographic) out.geographic = false;
    if (columns.heading && photo.position && !trimmed(csv.cell(*columns.heading)).empty()) {
      const double heading = number_at(csv, *columns.heading, "heading");
      if (std::abs(heading) > 360) csv.fail_here("the heading {} is not between -360 and 360 degrees", heading);
      photo.position->heading_deg = std::fmod(heading + 360, 360);
    }
    if (columns.time && !trimmed(csv.cell(*columns.time)).empty()) {
      photo.time_s = parse_time(csv.cell(*columns.time));
      if (!photo.time_s) {
        csv.fail_here("the time '{}' is neither seconds since 1970 nor like 2024-05-01T12:30:15Z",
                      printable(csv.cell(*columns.time)));
      }
    }
    if (const auto before = add_photo(out, name, photo))
      csv.fail_here("the photo '{}' was already on line {}", printable(name), before);
  }
  return out;
}

std::size_t place_by_table(std::vector<Photo>& photos, const std::string& folder, PositionTable& table) {
  std::size_t shared = 0;
  for (auto& photo : photos) {
    photo.position.reset();
    photo.time_s.reset();
    auto found = table.photos.find(folder + "/" + photo.name);
    if (found == table.photos.end()) found = table.photos.find(photo.name);
    if (found == table.photos.end()) continue;
    photo.position = found->second.position;
    photo.time_s = found->second.time_s;
    if (found->second.used) ++shared;
    found->second.used = true;
  }
  return shared;
}

PositionTable read_positions(const std::filesystem::path& path, std::vector<std::string>& notes) {
  const std::string text = read_text(path, limits::kMaxCsvBytes);
  const auto first = text.find_first_not_of("\xEF\xBB\xBF \t\r\n");
  const bool json = first != std::string::npos && (text[first] == '{' || text[first] == '[');
  return json ? parse_geojson(text, path.string(), notes) : parse_positions_csv(text, path.string());
}

}  // namespace revisit

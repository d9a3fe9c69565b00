// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The usual file names with a place between '@' signs:
// @east@north@zone@letter@lat@lon@pano@tile@heading@pitch@roll@height@timestamp@note@.jpg; all fields but the first two may be
// empty.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "revisit/geo.h"

namespace revisit {
namespace {

enum Field { kEast = 1, kNorth, kZone, kLetter, kLat, kLon, kPano, kTile, kHeading };

constexpr double kNameRoundingDeg = 2e-5;                     // names keep five decimals of a degree
constexpr std::string_view kBands = "CDEFGHJKLMNPQRSTUVWXX";  // of 8 degrees each from 80 S on

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t start = 0;;) {
    const auto end = text.find('@', start);
    out.push_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return out;
    start = end + 1;
  }
}

std::optional<double> number(std::string_view text) {
  double out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(out)) return std::nullopt;
  return out;
}

std::string band_of(double lat_deg) {
  if (lat_deg < -80 || lat_deg > 84) return "";
  return std::string(1, kBands[static_cast<std::size_t>((lat_deg + 80) / 8)]);
}

std::optional<LatLon> from_grid(const Position& metres, std::string_view zone, std::string_view letter) {
  const auto zone_number = number(zone);
  if (!zone_number || *zone_number < 1 || *zone_number > 60 || letter.size() != 1) return std::nullopt;
  const auto band = kBands.find(letter[0]);
  if (band == std::string_view::npos) return std::nullopt;
  try {
    return to_lat_lon({metres.east_m, metres.north_m, static_cast<int>(*zone_number), letter[0] >= 'N'});
  } catch (const Error&) {
    return std::nullopt;  // metres of some other plane
  }
}

std::optional<LatLon> from_degrees(std::string_view lat, std::string_view lon) {
  const auto lat_deg = number(lat);
  const auto lon_deg = number(lon);
  if (!lat_deg || !lon_deg || std::abs(*lat_deg) > 90 || std::abs(*lon_deg) > 180) return std::nullopt;
  return LatLon{*lat_deg, *lon_deg};
}

// Metres are precise to centimetres and degrees only to metres, so metres win as long as both describe the same place.
std::optional<LatLon> geographic_of(const Position& metres, const std::vector<std::string_view>& field) {
  if (field.size() <= kLon) return std::nullopt;
  const auto degrees = from_degrees(field[kLat], field[kLon]);
  const auto grid = from_grid(metres, field[kZone], field[kLetter]);
  if (!degrees || !grid) return degrees ? degrees : grid;
  const bool same = std::abs(degrees->lat_deg - grid->lat_deg) < kNameRoundingDeg &&
                    std::abs(degrees->lon_deg - grid->lon_deg) < kNameRoundingDeg;
  return same ? grid : degrees;
}

}  // namespace

std::optional<Position> position_from_name(const std::string& path) {
  const auto name = std::string_view(path).substr(path.find_last_of('/') + 1);
  const auto field = split(name);
  if (field.size() <= kNorth + 1) return std::nullopt;  // the last part is the extension
  const auto east = number(field[kEast]);
  const auto north = number(field[kNorth]);
  if (!east || !north || std::abs(*east) > limits::kMaxPlaneMetres || std::abs(*north) > limits::kMaxPlaneMetres) return std::nullopt;
  Position out;
  out.east_m = *east;
  out.north_m = *north;
  out.geographic = geographic_of(out, field);
  if (field.size() > kHeading + 1) {
    if (const auto heading = number(field[kHeading]); heading && std::abs(*heading) <= 360)
      out.heading_deg = std::fmod(*heading + 360, 360);
  }
  return out;
}

std::string name_with_position(const Position& position, const std::string& note, const std::string& extension) {
  for (const auto& part : {note, extension}) {
    if (part.find_first_of(std::string_view("@/\0", 3)) != std::string::npos) {
      fail(ErrorCode::kUsage, "'{}' cannot be part of a photo's name: it contains '@', '/' or a zero byte", part);
    }
  }
  std::string zone = "@";
  std::string degrees = "@";
  if (const auto& place = position.geographic) {
    zone = fmt::format("{:02}@{}", to_utm(*place).zone, band_of(place->lat_deg));
    degrees = fmt::format("{:09.5f}@{:010.5f}", place->lat_deg, place->lon_deg);
  }
  const std::string heading = position.heading_deg ? fmt::format("{:.1f}", *position.heading_deg) : "";
  return fmt::format("@{:010.2f}@{:010.2f}@{}@{}@@@{}@@@@@{}@{}", position.east_m, position.north_m, zone, degrees, heading, note,
                     extension);
}

}  // namespace revisit

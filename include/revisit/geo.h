// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Where photos were taken: latitude and longitude, metres on a plane, and the file names that carry both.
#pragma once

#include <optional>
#include <string>

namespace revisit {

struct LatLon {
  double lat_deg = 0;
  double lon_deg = 0;
};

struct Utm {
  double east_m = 0;
  double north_m = 0;
  int zone = 0;  ///< 1..60
  bool northern = true;
};

/// Throws Error kBadFile for values off the globe.
Utm to_utm(LatLon place);
LatLon to_lat_lon(const Utm& place);

/// A camera's place. Metres are always there (UTM when the place came as latitude and longitude, else whatever plane the
/// data set uses); geographic only if known.
struct Position {
  double east_m = 0;
  double north_m = 0;
  std::optional<LatLon> geographic;
  std::optional<double> heading_deg;  ///< clockwise from north, 0..360
};

Position position_from(LatLon place);

/// On the ellipsoid when both places are geographic, else on the plane.
double distance_m(const Position& a, const Position& b);

/// Reads "@east@north@zone@letter@lat@lon@pano@tile@heading@...@.jpg"; only the first two fields are needed.
std::optional<Position> position_from_name(const std::string& path);

/// Writes the 15 fields of that convention around `note` (any text without '@' or '/').
std::string name_with_position(const Position& position, const std::string& note, const std::string& extension = ".jpg");

}  // namespace revisit

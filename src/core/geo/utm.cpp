// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Latitude and longitude, metres in the zones of the UTM grid, and distances, by GeographicLib on WGS84. Unlike the official grid
// ours extends to the poles, so that every place has metres.
#include <GeographicLib/Geodesic.hpp>
#include <GeographicLib/TransverseMercator.hpp>
#include <GeographicLib/UTMUPS.hpp>
#include <cmath>

#include "core/base/fail.h"
#include "revisit/geo.h"

namespace revisit {
namespace {

constexpr double kFalseEast = 500'000;
constexpr double kFalseNorth = 10'000'000;  // of the southern half

double central_meridian(int zone) { return 6.0 * zone - 183; }

void check(LatLon place) {
  const bool ok = std::abs(place.lat_deg) <= 90 && std::abs(place.lon_deg) <= 180;  // false for NaN
  if (!ok) {
    fail(ErrorCode::kBadFile, "latitude {}, longitude {} is off the globe: the limits are +-90 and +-180 degrees", place.lat_deg,
         place.lon_deg);
  }
}

}  // namespace

Utm to_utm(LatLon place) {
  check(place);
  Utm out;
  out.zone = GeographicLib::UTMUPS::StandardZone(place.lat_deg, place.lon_deg, GeographicLib::UTMUPS::UTM);
  out.northern = place.lat_deg >= 0;
  GeographicLib::TransverseMercator::UTM().Forward(central_meridian(out.zone), place.lat_deg, place.lon_deg, out.east_m,
                                                   out.north_m);
  out.east_m += kFalseEast;
  if (!out.northern) out.north_m += kFalseNorth;
  return out;
}

LatLon to_lat_lon(const Utm& place) {
  const double north = place.northern ? place.north_m : place.north_m - kFalseNorth;
  const bool ok =
      place.zone >= 1 && place.zone <= 60 && std::abs(place.east_m - kFalseEast) <= 1'000'000 && std::abs(north) <= kFalseNorth;
  if (!ok) {
    fail(ErrorCode::kBadFile, "east {} m, north {} m in zone {}{} is not a place on the UTM grid", place.east_m, place.north_m,
         place.zone, place.northern ? "N" : "S");
  }
  LatLon out;
  GeographicLib::TransverseMercator::UTM().Reverse(central_meridian(place.zone), place.east_m - kFalseEast, north, out.lat_deg,
                                                   out.lon_deg);
  return out;
}

Position position_from(LatLon place) {
  const Utm utm = to_utm(place);
  Position out;
  out.east_m = utm.east_m;
  out.north_m = utm.north_m;
  out.geographic = place;
  return out;
}

double distance_m(const Position& a, const Position& b) {
  if (!a.geographic || !b.geographic) return std::hypot(a.east_m - b.east_m, a.north_m - b.north_m);
  double out = 0;
  GeographicLib::Geodesic::WGS84().Inverse(a.geographic->lat_deg, a.geographic->lon_deg, b.geographic->lat_deg,
                                           b.geographic->lon_deg, out);
  return out;
}

}  // namespace revisit

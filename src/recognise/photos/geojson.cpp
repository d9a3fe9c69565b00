// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// GeoJSON of RFC 7946, reduced to points that belong to photos. Size, depth and the number of values are bounded while
// parsing.
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "core/base/stop_scope.h"
#include "core/formats/json_tree.h"
#include "core/formats/printable.h"
#include "core/formats/text.h"
#include "recognise/photos/positions.h"

namespace revisit {
namespace {

using Json = nlohmann::json;

class FeatureReader {
 public:
  FeatureReader(const std::string& file, std::size_t number) : file_(file), number_(number) {}

  /// Empty for a feature that is not a point. A photo whose geometry is null has no known place (RFC 7946, 3.2).
  std::optional<std::pair<std::string, PlacedPhoto>> read(const Json& feature) const {
    if (!feature.is_object()) bad("it is not an object");
    const auto geometry = feature.find("geometry");
    const bool placed = geometry != feature.end() && geometry->is_object() && geometry->value("type", Json()) == "Point";
    const bool nowhere = geometry == feature.end() || geometry->is_null();
    if (!placed && !nowhere) return std::nullopt;
    const auto properties = feature.find("properties");
    const bool named = properties != feature.end() && properties->is_object();
    if (!named && nowhere) return std::nullopt;
    if (!named) bad("it has no properties, so no photo");
    PlacedPhoto photo;
    photo.row = number_;
    if (placed) photo.position = position(*geometry);
    if (const auto* heading = placed ? first_of(*properties, {"heading_deg", "heading"}) : nullptr) {
      if (!heading->is_number() || std::abs(heading->get<double>()) > 360) bad("its heading is not a number of degrees");
      photo.position->heading_deg = std::fmod(heading->get<double>() + 360, 360);
    }
    if (const auto* time = first_of(*properties, {"time", "timestamp"})) {
      photo.time_s = time->is_number()   ? std::optional(time->get<double>())
                     : time->is_string() ? parse_time(time->get_ref<const std::string&>())
                                         : std::nullopt;
      if (!photo.time_s) bad("its time is neither seconds since 1970 nor like 2024-05-01T12:30:15Z");
    }
    const auto* name = first_of(*properties, {"image", "name", "filename"});
    if (name == nullptr || !name->is_string() || name->get_ref<const std::string&>().empty()) bad("its properties name no image");
    return std::pair(name->get<std::string>(), photo);
  }

  template <typename... Args>
  [[noreturn]] void bad(fmt::format_string<Args...> what, Args&&... args) const {
    fail(ErrorCode::kBadFile, "'{}', feature {}: {}", file_, number_, fmt::format(what, std::forward<Args>(args)...));
  }

 private:
  static const Json* first_of(const Json& object, std::initializer_list<const char*> keys) {
    for (const auto* key : keys) {
      if (const auto found = object.find(key); found != object.end() && !found->is_null()) return &*found;
    }
    return nullptr;
  }

  Position position(const Json& geometry) const {
    const auto place = geometry.find("coordinates");
    const bool numbers =
        place != geometry.end() && place->is_array() && place->size() >= 2 && (*place)[0].is_number() && (*place)[1].is_number();
    if (!numbers) bad("its coordinates are not a longitude and a latitude");
    try {
      return position_from({(*place)[1].get<double>(), (*place)[0].get<double>()});
    } catch (const Error& error) {
      bad("{}", error.what());
    }
  }

  const std::string& file_;
  std::size_t number_;
};

Json parse_bounded(std::string_view text, const std::string& file) {
  if (text.size() > limits::kMaxGeoJsonBytes) {
    fail(ErrorCode::kLimit, "'{}' has {} bytes, the limit for GeoJSON is {}", file, text.size(), limits::kMaxGeoJsonBytes);
  }
  return parse_json(text, file, {limits::kMaxGeoJsonDepth, limits::kMaxGeoJsonValues});
}

}  // namespace

PositionTable parse_geojson(std::string_view text, const std::string& file, std::vector<std::string>& notes) {
  const Json root = parse_bounded(text, file);
  if (!root.is_object() || root.value("type", Json()) != "FeatureCollection" || !root.contains("features") ||
      !root["features"].is_array()) {
    fail(ErrorCode::kBadFile, "'{}' is not a GeoJSON FeatureCollection", file);
  }
  PositionTable out;
  out.geographic = true;
  std::size_t number = 0;
  std::size_t other = 0;
  StopTicker ticker;
  for (const auto& feature : root["features"]) {
    ticker.step();
    const FeatureReader reader(file, ++number);
    const auto photo = reader.read(feature);
    if (!photo) {
      ++other;
    } else if (const auto before = add_photo(out, photo->first, photo->second)) {
      reader.bad("the photo '{}' was already feature {}", printable(photo->first), before);
    }
  }
  if (other > 0)
    notes.push_back(
        fmt::format("'{}': skipped {}", file, other == 1 ? "1 feature that is not a point" : fmt::format("{} features that are not points", other)));
  return out;
}

}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Looking a picture up among the names of its folder costs no call to the file system, however many there are.
#include "training/feed/gsv_names.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "recognise/photos/photos.h"
#include "core/formats/text.h"

namespace revisit::feed {
namespace {

std::string key_of(std::int64_t place_id, std::string_view panoid) { return fmt::format("{} {}", place_id, panoid); }

/// Removes and returns the text before the next '_'; empty if there is none.
std::optional<std::string_view> take_part(std::string_view& text) {
  const auto end = text.find('_');
  if (end == std::string_view::npos) return std::nullopt;
  const auto out = text.substr(0, end);
  text.remove_prefix(end + 1);
  return out;
}

}  // namespace

std::string gsv_stem(const GsvRow& row, const std::string& lat, const std::string& lon) {
  return fmt::format("{}_{:07}_{:04}_{:02}_{:03}_{}_{}_{}", row.city_id, row.place_id, row.year, row.month, row.northdeg, lat,
                     lon, row.panoid);
}

std::string shortest_text(const std::string& number) {
  const auto value = parse_number(number);
  if (!value) return {};
  std::array<char, 400> buffer;
  const double size = std::abs(*value);
  const auto format = size == 0 || (size >= 1e-4 && size < 1e16) ? std::chars_format::fixed : std::chars_format::scientific;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), *value, format);
  std::string out(buffer.data(), end);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

GsvFolder::GsvFolder(const std::filesystem::path& folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error); !error && it != std::filesystem::directory_iterator();
       it.increment(error)) {
    std::string name = it->path().filename().string();
    if (is_photo_name(name)) names_.insert(std::move(name));
    if (names_.size() > limits::kMaxListed) {
      fail(ErrorCode::kLimit, "the folder '{}' holds more than {} pictures", folder.string(), limits::kMaxListed);
    }
  }
  if (error) {
    fail_with_hint(ErrorCode::kNotFound, "GSV-Cities keeps the pictures of a city in Images/<city_id>",
                   "cannot read the folder '{}': {}", folder.string(), error.message());
  }
}

std::optional<std::string> GsvFolder::with_extension(const std::string& stem) const {
  for (const char* extension : {".jpg", ".JPG"}) {
    if (names_.contains(stem + extension)) return stem + extension;
  }
  return std::nullopt;
}

std::optional<std::string> GsvFolder::find(const GsvRow& row) {
  if (auto found = with_extension(gsv_stem(row, row.lat, row.lon))) return found;
  if (auto found = with_extension(gsv_stem(row, shortest_text(row.lat), shortest_text(row.lon)))) return found;
  if (indexed_city_ != row.city_id) index_by_panorama(row.city_id);
  const auto found = by_panorama_.find(key_of(row.place_id, row.panoid));
  return found == by_panorama_.end() ? std::nullopt : std::optional(found->second);
}

void GsvFolder::index_by_panorama(const std::string& city_id) {
  indexed_city_ = city_id;
  by_panorama_.clear();
  for (const std::string& name : names_) {
    std::string_view rest = name;
    if (!rest.starts_with(city_id + "_")) continue;
    rest.remove_prefix(city_id.size() + 1);
    rest.remove_suffix(rest.size() - rest.rfind('.'));
    const auto place = take_part(rest);
    bool whole = place.has_value();
    for (int i = 0; i < 5; ++i) whole = whole && take_part(rest);  // year, month, northdeg, lat, lon
    std::int64_t place_id = 0;
    if (!whole || std::from_chars(place->data(), place->data() + place->size(), place_id).ec != std::errc()) continue;
    // Of two pictures of one panorama the first by name, whatever their order on disk.
    const auto [at, added] = by_panorama_.emplace(key_of(place_id, rest), name);
    if (!added && name < at->second) at->second = name;
  }
}

}  // namespace revisit::feed

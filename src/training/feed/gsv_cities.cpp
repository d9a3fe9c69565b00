// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// GSV-Cities: one table per city in Dataframes/, the pictures in Images/<city_id>/. Places are numbered within their city; cities
// keep the usual order, so that batches are of one city and negatives look alike.
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "core/base/salted_hash.h"
#include "core/formats/csv.h"
#include "core/formats/printable.h"
#include "core/formats/text.h"
#include "recognise/photos/photos.h"
#include "training/feed/gsv_names.h"
#include "training/feed/sources.h"

namespace revisit::feed {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 23> kCities{
    "Bangkok", "BuenosAires",  "LosAngeles", "MexicoCity", "OSL",       "Rome",   "Barcelona", "Chicago",
    "Madrid",  "Miami",        "Phoenix",    "TRT",        "Boston",    "Lisbon", "Medellin",  "Minneapolis",
    "PRG",     "WashingtonDC", "Brussels",   "London",     "Melbourne", "Osaka",  "PRS"};

constexpr const char* kLayout = "the path of a gsv-cities source is the folder that holds Dataframes and Images";

struct GsvPlace {
  int city = 0;
  std::vector<std::string> pictures;  // paths below the root
};

/// Tables by city: the known cities in the usual order, then others by name.
std::vector<std::string> cities_in(const fs::path& tables) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it(tables, error); !error && it != fs::directory_iterator(); it.increment(error)) {
    if (it->path().extension() == ".csv") found.push_back(it->path().stem().string());
  }
  if (error) fail(ErrorCode::kNotFound, "cannot read the folder '{}': {}", tables.string(), error.message());
  const auto rank = [](const std::string& city) { return std::ranges::find(kCities, city) - kCities.begin(); };
  std::ranges::sort(found,
                    [&](const std::string& a, const std::string& b) { return std::pair(rank(a), a) < std::pair(rank(b), b); });
  return found;
}

std::vector<std::string> chosen_cities(const TrainSource& source) {
  const fs::path tables = source.path / "Dataframes";
  std::vector<std::string> there = cities_in(tables);
  if (there.empty()) fail_with_hint(ErrorCode::kNotFound, kLayout, "the folder '{}' holds no .csv file", tables.string());
  if (source.cities.empty()) return there;
  for (const auto& city : source.cities) {
    if (std::ranges::find(there, city) != there.end()) continue;
    fail_with_hint(ErrorCode::kNotFound, fmt::format("cities with a table: {}", fmt::join(there, ", ")),
                   "there is no table for the city '{}' in '{}'", printable(city), tables.string());
  }
  return source.cities;
}

struct Columns {
  explicit Columns(const CsvReader& csv)
      : place_id(csv.required_column({"place_id"})),
        year(csv.required_column({"year"})),
        month(csv.required_column({"month"})),
        northdeg(csv.required_column({"northdeg"})),
        city_id(csv.required_column({"city_id"})),
        lat(csv.required_column({"lat"})),
        lon(csv.required_column({"lon"})),
        panoid(csv.required_column({"panoid"})) {}
  std::size_t place_id, year, month, northdeg, city_id, lat, lon, panoid;
};

template <typename Integer>
Integer integer_at(const CsvReader& csv, std::size_t column, const char* what) {
  const auto text = trimmed(csv.cell(column));
  Integer out{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || out < 0) {
    csv.fail_here("the {} '{}' is not a whole number of at least 0", what, printable(csv.cell(column)));
  }
  return out;
}

// Used as part of a path.
std::string plain_name_at(const CsvReader& csv, std::size_t column, const char* what) {
  std::string out(trimmed(csv.cell(column)));
  if (out.empty() || out == "." || out == ".." || out.find('/') != std::string::npos || out.find('\0') != std::string::npos) {
    csv.fail_here("the {} '{}' is not a plain name", what, printable(out));
  }
  return out;
}

GsvRow row_at(const CsvReader& csv, const Columns& columns) {
  GsvRow row;
  row.city_id = plain_name_at(csv, columns.city_id, "city_id");
  row.place_id = integer_at<std::int64_t>(csv, columns.place_id, "place_id");
  row.year = integer_at<int>(csv, columns.year, "year");
  row.month = integer_at<int>(csv, columns.month, "month");
  row.northdeg = integer_at<int>(csv, columns.northdeg, "northdeg");
  row.lat = trimmed(csv.cell(columns.lat));
  row.lon = trimmed(csv.cell(columns.lon));
  row.panoid = plain_name_at(csv, columns.panoid, "panoid");
  return row;
}

class GsvCities final : public PlaceSource {
 public:
  GsvCities(const TrainSource& source, int images_per_place, int places_per_batch)
      : root_(source.path), aligned_(source.aligned) {
    require_folder(root_, kLayout);
    require_folder(root_ / "Dataframes", kLayout);
    require_folder(root_ / "Images", kLayout);
    const auto cities = chosen_cities(source);
    for (std::size_t i = 0; i < cities.size(); ++i) read_city(cities[i], static_cast<int>(i));
    cities_ = cities.size();

    PlaceCount count{
        .all = static_cast<int>(places_.size()), .images_needed = images_per_place, .hint = "lower images_per_place"};
    for (const auto& place : places_) count.most_images = std::max(count.most_images, static_cast<int>(place.pictures.size()));
    std::erase_if(places_, [&](const GsvPlace& place) { return std::cmp_less(place.pictures.size(), images_per_place); });
    count.usable = static_cast<int>(places_.size());
    require_places(name(), count, places_per_batch);
    small_ = count.all - count.usable;
    images_per_place_ = images_per_place;
  }

  std::string name() const override { return source_name("gsv-cities", root_); }
  std::string describe() const override {
    std::string out = fmt::format("{}: {} places of {} cities", name(), grouped(places()), cities_);
    if (small_ > 0) out += fmt::format(", {} of fewer than {} pictures left out", grouped(small_), images_per_place_);
    if (missing_ > 0) out += fmt::format(", {} pictures do not exist, such as '{}'", grouped(missing_), first_missing_);
    return out;
  }
  int places() const override { return static_cast<int>(places_.size()); }
  int images(int place) const override { return static_cast<int>(at(place).pictures.size()); }
  int group(int place) const override { return at(place).city; }
  bool may_meet(int place, int other) const override { return place != other; }  // the set keeps its places 100 m apart
  bool aligned() const override { return aligned_; }
  std::string image_name(int place, int index) const override { return at(place).pictures[static_cast<std::size_t>(index)]; }
  Image image(int place, int index, Size) const override { return load_image(root_ / image_name(place, index)); }

 private:
  const GsvPlace& at(int place) const { return places_[static_cast<std::size_t>(place)]; }

  void read_city(const std::string& city, int number) {
    const fs::path table = root_ / "Dataframes" / (city + ".csv");
    const std::string text = read_text(table, limits::kMaxCsvBytes);
    CsvReader csv(text, table.string());
    const Columns columns(csv);
    std::map<std::string, GsvFolder> folders;  // by city_id; one, unless a table was merged from several
    std::unordered_map<std::int64_t, std::size_t, SaltedHash, std::equal_to<>> place_of;
    std::int64_t rows = 0, missing = 0;
    std::string example;
    while (csv.next()) {
      const GsvRow row = row_at(csv, columns);
      const auto [place, is_new] = place_of.emplace(row.place_id, places_.size());
      if (is_new) places_.push_back({number, {}});
      auto folder = folders.find(row.city_id);
      if (folder == folders.end()) folder = folders.emplace(row.city_id, root_ / "Images" / row.city_id).first;
      ++rows;
      if (const auto file = folder->second.find(row)) {
        places_[place->second].pictures.push_back(fmt::format("Images/{}/{}", row.city_id, *file));
      } else if (++missing == 1) {
        example = gsv_stem(row, row.lat, row.lon) + ".jpg";
      }
      if (places_.size() > limits::kMaxListed) {
        fail(ErrorCode::kLimit, "'{}' lists more than {} places", root_.string(), limits::kMaxListed);
      }
    }
    if (rows == 0) fail(ErrorCode::kBadFile, "'{}' lists no picture", table.string());
    if (missing == rows) {
      fail_with_hint(ErrorCode::kNotFound, "fetch the pictures of the city, or leave it out of `cities`",
                     "none of the {} pictures that '{}' lists is in '{}', such as '{}'", grouped(rows), table.string(),
                     (root_ / "Images").string(), printable(example));
    }
    if (missing_ == 0) first_missing_ = printable(example);
    missing_ += missing;
  }

  fs::path root_;
  bool aligned_;
  std::vector<GsvPlace> places_;  // city by city
  std::size_t cities_ = 0;
  int images_per_place_ = 0;
  int small_ = 0;
  std::int64_t missing_ = 0;
  std::string first_missing_;
};

}  // namespace

std::unique_ptr<PlaceSource> open_gsv_cities(const TrainSource& source, int images_per_place, int places_per_batch) {
  return std::make_unique<GsvCities>(source, images_per_place, places_per_batch);
}

}  // namespace revisit::feed

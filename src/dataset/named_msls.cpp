// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Mapillary Street-Level Sequences as published: one folder a city, tables of keys and places beside the photos.
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "base/fail.h"
#include "base/limits.h"
#include "dataset/csv.h"
#include "dataset/named.h"
#include "dataset/near.h"
#include "dataset/photos.h"
#include "dataset/text.h"

namespace revisit::dataset {
namespace {

namespace fs = std::filesystem;

constexpr double kThresholdM = 25;

struct Frame {
  std::string key;
  Photo photo;  // place and time only
};

// raw.csv adds degrees, heading and date, and says which photos are panoramas.
struct Raw {
  std::unordered_map<std::string, Photo> photos;
  std::unordered_set<std::string> panoramas;
};

double number_or_nan(const CsvReader& csv, std::optional<std::size_t> column) {
  return column ? parse_number(csv.cell(*column)).value_or(NAN) : NAN;
}

Raw read_raw(const fs::path& file) {
  Raw out;
  if (!is_there(file)) return out;
  const std::string text = read_text(file, limits::kMaxCsvBytes);
  CsvReader csv(text, file.string());
  const auto key = csv.required_column({"key"});
  const auto pano = csv.column({"pano"}), lat = csv.column({"lat"}), lon = csv.column({"lon"}), heading = csv.column({"ca"}),
             time = csv.column({"captured_at"});
  while (csv.next()) {
    if (pano && lower(trimmed(csv.cell(*pano))) == "true") out.panoramas.insert(csv.cell(key));
    Photo photo;
    const double lat_deg = number_or_nan(csv, lat), lon_deg = number_or_nan(csv, lon), heading_deg = number_or_nan(csv, heading);
    if (std::abs(lat_deg) <= 90 && std::abs(lon_deg) <= 180) photo.position = position_from({lat_deg, lon_deg});
    if (photo.position && heading_deg >= 0 && heading_deg <= 360) photo.position->heading_deg = heading_deg;
    if (time) photo.time_s = parse_time(csv.cell(*time));
    out.photos.emplace(csv.cell(key), std::move(photo));
  }
  return out;
}

// The photos of CITY/{query,database} that are no panoramas, with the metres of postprocessed.csv.
std::vector<Frame> read_side(const fs::path& folder, std::size_t& panoramas) {
  const fs::path file = folder / "postprocessed.csv";
  const std::string text = read_text(file, limits::kMaxCsvBytes);
  CsvReader csv(text, file.string());
  const auto key = csv.required_column({"key"}), east = csv.required_column({"easting"}),
             north = csv.required_column({"northing"});
  Raw raw = read_raw(folder / "raw.csv");
  std::vector<Frame> out;
  while (csv.next()) {
    if (raw.panoramas.contains(csv.cell(key))) {
      ++panoramas;
      continue;
    }
    Frame frame;
    frame.key = csv.cell(key);
    if (const auto found = raw.photos.find(frame.key); found != raw.photos.end()) frame.photo = found->second;
    const auto east_m = parse_number(csv.cell(east)), north_m = parse_number(csv.cell(north));
    if (!east_m || !north_m || std::abs(*east_m) > limits::kMaxPlaneMetres || std::abs(*north_m) > limits::kMaxPlaneMetres) {
      csv.fail_here("easting and northing are no metres");
    }
    if (!frame.photo.position) frame.photo.position.emplace();
    frame.photo.position->east_m = *east_m;
    frame.photo.position->north_m = *north_m;
    out.push_back(std::move(frame));
  }
  return out;
}

bool has_tables(const fs::path& city) {
  return is_there(city / "query" / "postprocessed.csv") && is_there(city / "database" / "postprocessed.csv");
}

// Photos of one side with a file, in the order of the table.
void add_side(std::vector<Photo>& out, const fs::path& base, const fs::path& side, std::vector<Frame> frames) {
  std::vector<std::string> names;
  for (const auto& frame : frames) names.push_back((side / "images" / (frame.key + ".jpg")).string());
  auto photos = listed_photos(base, names, (base / side / "postprocessed.csv").string());
  for (std::size_t i = 0; i < photos.size(); ++i) {
    photos[i].position = frames[i].photo.position;
    photos[i].time_s = frames[i].photo.time_s;
    out.push_back(std::move(photos[i]));
  }
}

// Positives of queries [first_query, ..) among references [first_reference, ..): metres of two cities must never be compared.
void add_positives(Dataset& set, std::size_t first_query, std::size_t first_reference) {
  const std::vector<Photo> queries(set.queries.begin() + static_cast<std::ptrdiff_t>(first_query), set.queries.end());
  const std::vector<Photo> references(set.references.begin() + static_cast<std::ptrdiff_t>(first_reference),
                                      set.references.end());
  for (auto& list : positives_within(queries, references, kThresholdM, Metric::kPlane)) {
    for (int& index : list) index += static_cast<int>(first_reference);
    set.positives.push_back(std::move(list));
  }
}

}  // namespace

std::optional<Dataset> from_msls_csv(Places& places, const std::string& split, const std::vector<std::string>& cities) {
  const fs::path first = fs::path(split) / cities.front() / "query" / "postprocessed.csv";
  places.first_tried.push_back(places.root / first);
  const auto folder =
      std::ranges::find_if(places.folders, [&](const auto& name) { return is_there(below(places.root, name) / first); });
  if (folder == places.folders.end()) return std::nullopt;
  const fs::path base = below(places.root, *folder);
  Dataset out;
  std::size_t panoramas = 0;
  std::string names;
  for (const auto& city : cities) {
    const fs::path side = fs::path(split) / city;
    const auto first_query = out.queries.size(), first_reference = out.references.size();
    add_side(out.queries, base, side / "query", read_side(base / side / "query", panoramas));
    add_side(out.references, base, side / "database", read_side(base / side / "database", panoramas));
    add_positives(out, first_query, first_reference);
    names += (names.empty() ? "" : ", ") + city;
  }
  out.labelled = true;
  out.protocol = fmt::format(
      "all photos of the cities {} but panoramas ({}), a reference of the same city within {:g} m (postprocessed.csv) is right",
      names, panoramas, kThresholdM);
  return out;
}

void label_msls_lists(Dataset& set, Places& places, const std::string& split, const std::vector<std::string>& cities) {
  std::unordered_map<std::string, Photo> queries, references;  // by city/key
  for (const auto& city : cities) {
    const auto folder = std::ranges::find_if(
        places.folders, [&](const auto& name) { return has_tables(below(places.root, name) / split / city); });
    if (folder == places.folders.end()) return;
    const fs::path base = below(places.root, *folder) / split / city;
    std::size_t ignored = 0;
    for (auto& frame : read_side(base / "query", ignored)) queries.emplace(city + "/" + frame.key, std::move(frame.photo));
    for (auto& frame : read_side(base / "database", ignored)) references.emplace(city + "/" + frame.key, std::move(frame.photo));
  }
  // Names are like test/miami/query/images/KEY.jpg.
  const auto city_of = [](const Photo& photo) {
    return fs::path(photo.name).parent_path().parent_path().parent_path().filename().string();
  };
  const auto place = [&](std::vector<Photo>& photos, const std::unordered_map<std::string, Photo>& table) {
    for (auto& photo : photos) {
      const auto found = table.find(city_of(photo) + "/" + fs::path(photo.name).stem().string());
      photo.position = found == table.end() ? std::nullopt : found->second.position;
    }
  };
  place(set.queries, queries);
  place(set.references, references);
  set.positives = positives_within(set.queries, set.references, kThresholdM, Metric::kPlane);
  for (std::size_t q = 0; q < set.queries.size(); ++q) {
    const std::string city = city_of(set.queries[q]);
    std::erase_if(set.positives[q], [&](int r) { return city_of(set.references[static_cast<std::size_t>(r)]) != city; });
  }
  set.labelled = true;
  set.protocol +=
      fmt::format("; labelled by postprocessed.csv: a reference of the same city within {:g} m is right", kThresholdM);
}

}  // namespace revisit::dataset

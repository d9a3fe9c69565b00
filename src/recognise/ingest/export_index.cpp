// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// An index as npy, csv, GeoJSON, KML and pairs, row by row, so that memory does not grow with it.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/fail.h"
#include "core/base/file.h"
#include "core/formats/csv.h"
#include "core/formats/escape.h"
#include "core/formats/npy.h"
#include "core/formats/markup.h"
#include "revisit/export.h"

namespace revisit {
namespace {

using Json = nlohmann::ordered_json;

template <typename Action>
void for_each_live(const Index& index, const Action& action) {
  for (int row = 0; row < index.rows(); ++row) {
    if (index.is_live(row)) action(row);
  }
}

std::string number(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; }

std::string csv_line(const IndexEntry& entry) {
  std::optional<double> lat, lon, east, north, heading;
  if (entry.position) {
    east = entry.position->east_m;
    north = entry.position->north_m;
    heading = entry.position->heading_deg;
    if (entry.position->geographic) {
      lat = entry.position->geographic->lat_deg;
      lon = entry.position->geographic->lon_deg;
    }
  }
  return fmt::format("{},{},{},{},{},{},{},{}\n", csv_cell(entry.name), number(lat), number(lon), number(east), number(north),
                     number(heading), number(entry.time_s), csv_cell(entry.path));
}

Json feature(const IndexEntry& entry) {
  Json properties{{"image", entry.name}};
  if (entry.position->heading_deg) properties["heading_deg"] = *entry.position->heading_deg;
  if (entry.time_s) properties["time"] = *entry.time_s;
  if (!entry.path.empty()) properties["path"] = entry.path;
  const LatLon place = *entry.position->geographic;
  return {{"type", "Feature"},
          {"geometry", {{"type", "Point"}, {"coordinates", {place.lon_deg, place.lat_deg}}}},
          {"properties", std::move(properties)}};
}

std::string placemark(const IndexEntry& entry) {
  const LatLon place = *entry.position->geographic;
  return fmt::format("<Placemark><name>{}</name><Point><coordinates>{:.8f},{:.8f}</coordinates></Point></Placemark>\n",
                     escaped_markup(escaped_bytes(entry.name)), place.lon_deg, place.lat_deg);
}

std::string pair_name(const Index& index, int row) {
  std::string name = index.entry(row).name;
  if (name.find_first_of(" \t\r\n") != std::string::npos) {
    fail_with_hint(ErrorCode::kUsage, "rename the file and add it again, or export csv",
                   "the name '{}' has a space or line break, which a file of pairs cannot hold", escaped_bytes(name));
  }
  return name;
}

}  // namespace

void export_npy(const Index& index, const std::filesystem::path& file) {
  NpyRows rows(file, index.live_rows(), index.settings().dim);
  AtomicFile names(file.string() + ".names.txt");
  for_each_live(index, [&](int row) {
    rows.add(index.checked_descriptor(row));
    names.write(escaped_bytes(index.entry(row).name) + "\n");
  });
  names.commit();
  rows.commit();
}

void export_csv(const Index& index, const std::filesystem::path& file) {
  AtomicFile out(file);
  out.write("image,lat,lon,east,north,heading_deg,time,path\n");
  for_each_live(index, [&](int row) { out.write(csv_line(index.entry(row))); });
  out.commit();
}

int export_geojson(const Index& index, const std::filesystem::path& file) {
  AtomicFile out(file);
  int written = 0;
  out.write("{\"type\":\"FeatureCollection\",\"features\":[");
  for_each_live(index, [&](int row) {
    const IndexEntry entry = index.entry(row);
    if (!entry.position || !entry.position->geographic) return;
    // File names need not be UTF-8; JSON must be.
    out.write((written++ == 0 ? "\n" : ",\n") + feature(entry).dump(-1, ' ', false, Json::error_handler_t::replace));
  });
  out.write("\n]}\n");
  out.commit();
  return written;
}

int export_kml(const Index& index, const std::filesystem::path& file) {
  AtomicFile out(file);
  int written = 0;
  out.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<kml xmlns=\"http://www.opengis.net/kml/2.2\">\n<Document>\n");
  for_each_live(index, [&](int row) {
    const IndexEntry entry = index.entry(row);
    if (!entry.position || !entry.position->geographic) return;
    out.write(placemark(entry));
    ++written;
  });
  out.write("</Document>\n</kml>\n");
  out.commit();
  return written;
}

void export_pairs(const Index& index, const std::filesystem::path& file, int top_k,
                  const std::function<bool(int, int)>& progress) {
  AtomicFile out(file);
  SearchOptions options;
  options.top_k = std::min(top_k + 1, index.rows());  // the photo itself is found, too
  int done = 0;
  for_each_live(index, [&](int row) {
    const std::string name = pair_name(index, row);
    int written = 0;
    const auto found = index.search(index.descriptor(row), options);
    for (const Match& match : found.front()) {
      if (match.row == row || written == top_k) continue;
      out.write(name + " " + pair_name(index, match.row) + "\n");
      ++written;
    }
    if (progress && !progress(++done, index.live_rows())) fail(ErrorCode::kInterrupted, "stopped after {} photos", done);
  });
  out.commit();
}

}  // namespace revisit

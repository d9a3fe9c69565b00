// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Rows of postprocessed.csv, seq_info.csv and subtask_index.csv belong together by their order; raw.csv is joined by key.
#include "lab/dataset/msls_tables.h"

#include <algorithm>
#include <cmath>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "core/base/salted_hash.h"
#include "core/formats/csv.h"
#include "core/formats/printable.h"
#include "core/formats/text.h"
#include "recognise/photos/photos.h"

namespace revisit::dataset {
namespace {

namespace fs = std::filesystem;

// raw.csv adds degrees, heading and date, and says which photos are panoramas.
struct Raw {
  NameMap<Photo> photos;
  NameSet panoramas;
};

double number_or_nan(const CsvReader& csv, std::optional<std::size_t> column) {
  return column ? parse_number(csv.cell(*column)).value_or(NAN) : NAN;
}

bool is_true(const std::string& cell) { return lower(trimmed(cell)) == "true" || trimmed(cell) == "1"; }

Raw read_raw(const fs::path& file) {
  Raw out;
  if (!is_there(file)) return out;
  const std::string text = read_text(file, limits::kMaxCsvBytes);
  CsvReader csv(text, file.string());
  const auto key = csv.required_column({"key"});
  const auto pano = csv.column({"pano"}), lat = csv.column({"lat"}), lon = csv.column({"lon"}), heading = csv.column({"ca"}),
             time = csv.column({"captured_at"});
  while (csv.next()) {
    if (pano && is_true(csv.cell(*pano))) out.panoramas.insert(csv.cell(key));
    Photo photo;
    const double lat_deg = number_or_nan(csv, lat), lon_deg = number_or_nan(csv, lon), heading_deg = number_or_nan(csv, heading);
    if (std::abs(lat_deg) <= 90 && std::abs(lon_deg) <= 180) photo.position = position_from({lat_deg, lon_deg});
    if (photo.position && heading_deg >= 0 && heading_deg <= 360) photo.position->heading_deg = heading_deg;
    if (time) photo.time_s = parse_time(csv.cell(*time));
    out.photos.emplace(csv.cell(key), std::move(photo));
  }
  return out;
}

// Keys in their order; with metres if the table is postprocessed.csv.
std::vector<MslsFrame> read_keys(const fs::path& file, bool metres) {
  const std::string text = read_text(file, limits::kMaxCsvBytes);
  CsvReader csv(text, file.string());
  const auto key = csv.required_column({"key"});
  const auto east = metres ? csv.required_column({"easting"}) : key, north = metres ? csv.required_column({"northing"}) : key;
  std::vector<MslsFrame> out;
  NameSet seen;
  while (csv.next()) {
    MslsFrame frame;
    frame.key = csv.cell(key);
    if (frame.key.empty()) csv.fail_here("the key is empty");
    if (!seen.insert(frame.key).second) csv.fail_here("the key '{}' is listed twice", printable(frame.key));
    if (metres) {
      const auto east_m = parse_number(csv.cell(east)), north_m = parse_number(csv.cell(north));
      if (!east_m || !north_m || std::abs(*east_m) > limits::kMaxPlaneMetres || std::abs(*north_m) > limits::kMaxPlaneMetres) {
        csv.fail_here("easting and northing are not metres");
      }
      frame.photo.position.emplace();
      frame.photo.position->east_m = *east_m;
      frame.photo.position->north_m = *north_m;
    }
    out.push_back(std::move(frame));
  }
  return out;
}

// What raw.csv knows of a frame; metres of postprocessed.csv stay.
void add_raw(MslsFrame& frame, const Raw& raw) {
  const auto found = raw.photos.find(frame.key);
  if (found == raw.photos.end()) return;
  const auto metres = frame.photo.position;
  frame.photo = found->second;
  if (!metres) return;
  if (!frame.photo.position) frame.photo.position.emplace();
  frame.photo.position->east_m = metres->east_m;
  frame.photo.position->north_m = metres->north_m;
}

// The column "all" of subtask_index.csv, row by row.
void keep_task(MslsSide& side, const fs::path& file) {
  const std::string text = read_text(file, limits::kMaxCsvBytes);
  CsvReader csv(text, file.string());
  const auto all = csv.required_column({"all"});
  std::size_t row = 0;
  for (; csv.next(); ++row) {
    if (row < side.frames.size() && !is_true(csv.cell(all))) side.frames[row].used = false;
  }
  if (row != side.frames.size()) {
    fail(ErrorCode::kMismatch, "'{}' has {} rows, but '{}' has {}: row i of both is the same photo", file.string(), row,
         side.table, side.frames.size());
  }
  side.task_table = true;
}

}  // namespace

const std::vector<std::string>& msls_folders() {
  static const std::vector<std::string> names = {"", "msls", "mapillary", "mapillary_sls", "MSLS"};
  return names;
}

MslsSplit msls_split(const std::string& dataset) {
  static const std::vector<std::string> val = {"cph", "sf"};
  static const std::vector<std::string> test = {"miami", "athens", "buenosaires", "stockholm", "bengaluru", "kampala"};
  if (dataset == "msls_test") return {"test", test, true};
  if (dataset == "msls_test_all") return {"test", test, false};
  if (dataset == "msls_val") return {"train_val", val, true};
  if (dataset == "msls_val_all") return {"train_val", val, false};
  fail_with_hint(ErrorCode::kUsage, "`dataset` msls_test, msls_test_all, msls_val or msls_val_all",
                 "'{}' is not a part of Mapillary Street-Level Sequences", dataset);
}

bool has_msls_tables(const fs::path& city) {
  const auto side = [&](const char* name) {
    return is_there(city / name / "postprocessed.csv") || is_there(city / name / "seq_info.csv");
  };
  return side("query") && side("database");
}

MslsSide read_msls_side(const fs::path& folder, bool challenge) {
  MslsSide out;
  out.metres = is_there(folder / "postprocessed.csv") || !is_there(folder / "seq_info.csv");
  const fs::path table = folder / (out.metres ? "postprocessed.csv" : "seq_info.csv");
  out.table = table.string();
  out.frames = read_keys(table, out.metres);
  const Raw raw = read_raw(folder / "raw.csv");
  for (auto& frame : out.frames) {
    frame.used = !raw.panoramas.contains(frame.key);
    if (!frame.used) ++out.panoramas;
    add_raw(frame, raw);
  }
  const fs::path task = folder / "subtask_index.csv";
  if (challenge && is_there(task)) keep_task(out, task);
  out.placed =
      std::ranges::all_of(out.frames, [](const MslsFrame& frame) { return !frame.used || frame.photo.position.has_value(); });
  return out;
}

std::vector<std::vector<int>> msls_positives(const std::vector<Photo>& queries, const std::vector<Photo>& references,
                                             bool metres) {
  // A city may lie in two UTM zones (Stockholm does), so degrees are never compared as metres of a plane.
  const auto in_metres = [](const Photo& photo) { return photo.position && !photo.position->geographic; };
  if (!metres && (std::ranges::any_of(queries, in_metres) || std::ranges::any_of(references, in_metres))) {
    fail_with_hint(ErrorCode::kMismatch, "put postprocessed.csv (or raw.csv) into every folder, from the same download",
                   "some places of a city are metres (postprocessed.csv) and others degrees (raw.csv)");
  }
  return positives_within(queries, references, kMslsThresholdM, metres ? Metric::kPlane : Metric::kEllipsoid);
}

}  // namespace revisit::dataset

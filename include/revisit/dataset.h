// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Data sets of visual place recognition: queries, references and which of them show the same place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "revisit/error.h"
#include "revisit/geo.h"

namespace revisit {

struct Photo {
  std::string name;  ///< as results show it: relative to its folder
  std::filesystem::path path;
  std::optional<Position> position;
  std::optional<double> time_s;  ///< seconds since 1970
};

struct Dataset {
  std::string name;
  std::vector<Photo> queries;
  std::vector<Photo> references;
  bool labelled = false;
  std::vector<std::vector<int>> positives;  ///< per query, ascending indices into references; queries.size() lists when labelled
  std::string protocol;                     ///< one sentence: split, ground truth, tolerance
  std::vector<std::string> notes;           ///< what a user should know: positions found for n of m photos, ...

  /// Sets that are searched part by part, such as the cities of msls_test: the part of every query and reference. Empty: as a
  /// whole.
  std::vector<std::string> parts;
  std::vector<int> query_parts, reference_parts;

  int without_positive() const;  ///< queries whose list is empty
};

/// Two folders and where their ground truth comes from, tried in this order: gt, positions, "@east@north@" names, EXIF GPS.
struct FolderPair {
  std::filesystem::path queries;
  std::filesystem::path references;
  std::optional<std::filesystem::path> gt;  ///< csv: query,best_ref,accepted_refs ('|' between names)
  std::optional<std::filesystem::path>
      positions;  ///< csv: image,lat,lon[,heading_deg,time] or image,east,north[,...]; or GeoJSON points
  double positive_dist_threshold_m = 25;
  bool no_labels = false;  ///< do not look for ground truth
};

/// Photos below a folder: .jpg .jpeg .png .webp in any case, sorted by name; an optional FOLDER_images_paths.txt replaces the
/// scan. Symlink loops are followed once. Throws Error kNotFound when the folder is not there or holds no photo. `notes` hears of
/// files that are none.
std::vector<Photo> photos_in(const std::filesystem::path& folder, std::vector<std::string>* notes = nullptr);

/// Photos of a collection, from any of: folders, photo files, globs ("drive/*/left_*.jpg"), lists (.txt, a path a line) and
/// tables with positions (.csv, .geojson, .json). Paths in a list or table are relative to its folder. `positions`, a table,
/// places the photos of the other sources. Places and times not said there are left to whoever opens the photos. Throws Error
/// kNotFound naming the source; that a listed photo is there is not checked.
std::vector<Photo> photos_from(const std::vector<std::string>& sources, const std::optional<std::filesystem::path>& positions,
                               std::vector<std::string>& notes);

/// Gives photos without a position or time what their EXIF data say.
void place_by_exif(std::vector<Photo>& photos);

/// Seconds since 1970 from a plain number or ISO 8601 ("2024-05-01T12:30:15+02:00"; without a zone it is UTC); else nothing.
std::optional<double> time_from(const std::string& text);

Dataset load_folder_pair(const FolderPair& pair);

/// nordland, nordland_all, nordland_3450, msls_val, msls_val_all, msls_test, msls_test_all, pitts30k_val, pitts30k_test,
/// pitts250k_test, sped, amstertime, under `root` in the layouts the field uses. Throws Error kUsage for an unknown name (with
/// the list) and kNotFound naming the first file that is missing.
Dataset load_named(const std::string& name, const std::filesystem::path& root);
std::vector<std::string> named_datasets();

}  // namespace revisit

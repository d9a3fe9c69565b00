// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Data sets of visual place recognition: queries, references and which of them show the same place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "revisit/photos.h"

namespace revisit {

struct Dataset {
  std::string name;
  std::vector<Photo> queries;
  std::vector<Photo> references;
  bool labelled = false;
  std::vector<std::vector<int>> positives;  ///< per query, ascending indices into references; queries.size() lists when labelled
  std::string protocol;                     ///< one sentence: split, ground truth, tolerance
  std::vector<std::string> notes;           ///< for the user: positions found for n of m photos, ...

  /// Sets that are searched part by part, such as the cities of msls_test: the part of every query and reference. Empty: searched
  /// as a whole.
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

Dataset load_folder_pair(const FolderPair& pair);

/// nordland, nordland_all, nordland_3450, msls_val, msls_val_all, msls_test, msls_test_all, pitts30k_val, pitts30k_test,
/// pitts250k_test, sped, amstertime, under `root` in the layouts the field uses. Throws Error kUsage for an unknown name (with
/// the list) and kNotFound naming the first file that is missing.
Dataset load_named(const std::string& name, const std::filesystem::path& root);
std::vector<std::string> named_datasets();

}  // namespace revisit

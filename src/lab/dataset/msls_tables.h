// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The tables of Mapillary Street-Level Sequences: SPLIT/CITY/{query,database}/{postprocessed,raw,seq_info,subtask_index}.csv.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/dataset/near.h"
#include "revisit/lab/dataset.h"

namespace revisit::dataset {

inline constexpr double kMslsThresholdM = 25;

/// Names people give to the folder that holds train_val/ and test/; "" for the root itself.
const std::vector<std::string>& msls_folders();

struct MslsSplit {
  std::string folder;               ///< "test" or "train_val"
  std::vector<std::string> cities;  ///< in the order of the challenge
  bool challenge = false;           ///< only what its task "all" scores, if subtask_index.csv exists
};

/// Of msls_test, msls_test_all, msls_val and msls_val_all. Throws Error kUsage for another name.
MslsSplit msls_split(const std::string& dataset);

struct MslsFrame {
  std::string key;
  Photo photo;        ///< place and time only, as far as the tables know them
  bool used = false;  ///< not a panorama, and part of the task
};

struct MslsSide {
  std::vector<MslsFrame> frames;  ///< in the order of the table
  std::string table;              ///< the file with the keys
  std::size_t panoramas = 0;
  bool task_table = false;  ///< subtask_index.csv existed and was requested
  bool placed = false;      ///< every frame in use has a place
  bool metres = false;      ///< places are metres of postprocessed.csv, not degrees of raw.csv
};

/// CITY/query or CITY/database. Keys come from postprocessed.csv, or from seq_info.csv where the places are not published. Throws
/// Error kNotFound when neither exists, kBadFile when tables contradict each other.
MslsSide read_msls_side(const std::filesystem::path& folder, bool challenge);

/// Whether SPLIT/CITY has keys for both sides.
bool has_msls_tables(const std::filesystem::path& city);

/// Per query the references of the same city within 25 m. Both sides must be placed.
std::vector<std::vector<int>> msls_positives(const std::vector<Photo>& queries, const std::vector<Photo>& references,
                                             bool metres);

}  // namespace revisit::dataset

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Loaders behind load_named(). Each returns nothing when its layout does not exist below the root, and throws when it is
// incomplete.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/dataset/msls_tables.h"
#include "revisit/lab/dataset.h"

namespace revisit::dataset {

/// Where the files of a set may lie.
struct Places {
  std::filesystem::path root;
  std::vector<std::string> folders;                ///< usual names of the set's own folder, "" for the root itself
  std::vector<std::filesystem::path> first_tried;  ///< filled by the loaders: the first path each tried
};

/// Without a slash at the end when `folder` is empty.
inline std::filesystem::path below(const std::filesystem::path& root, const std::string& folder) {
  return folder.empty() ? root : root / folder;
}

/// SALAD's and OpenVPRLab's lists: STEM_dbImages.npy, STEM_qImages.npy and STEM_gt.npy (or STEM_gt_25m.npy; or STEM_pIdx.npy with
/// STEM_qIdx.npy, which selects the queries). Without `labelled` the last is not looked for. `rule` says what the lists encode.
std::optional<Dataset> from_npy(Places& places, const std::string& stem, bool labelled, const std::string& rule);

/// Pittsburgh's STEM.mat; photos lie beside it (or beside its folder datasets/), queries in queries_real/.
std::optional<Dataset> from_dbstruct(Places& places, const std::string& stem);

/// images/SPLIT/database and images/SPLIT/queries (or SPLIT/...), with @east@north@ names, 25 m.
std::optional<Dataset> from_named_folders(Places& places, const std::string& split, const std::string& rule);

/// Two folders of frames in the same order: reference stride * q + d belongs to query q when |d| <= tolerance.
std::optional<Dataset> from_frames(Places& places, int stride, int tolerance);

/// Two folders where photos of the same name (whatever the extension) belong together: `queries` and `references` name them.
std::optional<Dataset> from_pairs(Places& places, const std::string& queries, const std::string& references);

/// MSLS as published: SPLIT/CITY/{query,database}/{postprocessed.csv,raw.csv,images/}; 25 m within each city, panoramas left out.
/// Without places (test cities as first published: seq_info.csv, subtask_index.csv, images/) it is not labelled.
std::optional<Dataset> from_msls_csv(Places& places, const MslsSplit& split);

/// Ground truth for MSLS lists whose cities have coordinates below `places`; leaves the set as it is when they have none.
void label_msls_lists(Dataset& set, Places& places, const MslsSplit& split);

/// A query is compared with references of its own city only.
void search_by_city(Dataset& set, const MslsSplit& split);

}  // namespace revisit::dataset

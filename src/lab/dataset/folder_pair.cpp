// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Two folders become a data set: the first available source of ground truth is used, and the protocol names it.
#include <algorithm>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "recognise/photos/exif_places.h"
#include "lab/dataset/gt_csv.h"
#include "lab/dataset/near.h"
#include "recognise/photos/photos.h"
#include "recognise/photos/positions.h"
#include "core/formats/text.h"
#include "revisit/lab/dataset.h"

namespace revisit {
namespace dataset {
namespace {

namespace fs = std::filesystem;

bool all_geographic(const std::vector<Photo>& photos) {
  return std::ranges::all_of(photos, [](const Photo& photo) { return !photo.position || photo.position->geographic; });
}

void place_by_file(Dataset& set, const FolderPair& pair) {
  PositionTable table = read_positions(*pair.positions, set.notes);
  const std::string file = pair.positions->filename().string();
  std::size_t used_twice = place_by_table(set.queries, last_part(pair.queries), table);
  used_twice += place_by_table(set.references, last_part(pair.references), table);
  if (num_placed(set.queries) == 0 || num_placed(set.references) == 0) {
    const bool queries = num_placed(set.queries) == 0;
    fail_with_hint(ErrorCode::kMismatch, "names in it are relative to the folder, or start with the folder's own name",
                   "'{}' has no position for any of the {} in '{}'", pair.positions->string(),
                   queries ? counted(set.queries.size(), "query") : counted(set.references.size(), "reference"),
                   (queries ? pair.queries : pair.references).string());
  }
  if (used_twice > 0 && !fs::equivalent(pair.queries, pair.references)) {
    set.notes.push_back(
        fmt::format("'{}': {} with the same name in both folders share one row; write FOLDER/NAME to tell them apart", file,
                    counted(used_twice, "photo")));
  }
  const auto unused =
      static_cast<std::size_t>(std::ranges::count_if(table.photos, [](const auto& entry) { return !entry.second.used; }));
  if (unused > 0)
    set.notes.push_back(fmt::format("'{}': {} for photos that are in neither folder", file, counted(unused, "row")));
}

// Labels by distance; `source` continues "positions from ...".
void label_by_distance(Dataset& set, double threshold_m, Metric metric, const std::string& source) {
  set.positives = positives_within(set.queries, set.references, threshold_m, metric);
  set.labelled = true;
  set.protocol += fmt::format("; a reference within {:g} m of the query is right (positions from {}, {})", threshold_m, source,
                              metric == Metric::kPlane ? "distances on the plane" : "distances on the ellipsoid");
  set.notes.push_back(fmt::format("positions from {} for {} of {} queries and {} of {} references", source,
                                  num_placed(set.queries), set.queries.size(), num_placed(set.references),
                                  set.references.size()));
}

bool both_placed(const Dataset& set) { return num_placed(set.queries) > 0 && num_placed(set.references) > 0; }

void label(Dataset& set, const FolderPair& pair) {
  if (pair.no_labels) {
    set.protocol += "; no ground truth, as requested";
    return;
  }
  if (pair.gt) {
    set.positives =
        parse_gt_csv(read_text(*pair.gt, limits::kMaxCsvBytes), pair.gt->string(), set.queries, set.references, set.notes);
    set.labelled = true;
    set.protocol += fmt::format("; accepted references from '{}'", pair.gt->filename().string());
    return;
  }
  const double threshold_m = pair.positive_dist_threshold_m;
  if (pair.positions) {
    place_by_file(set, pair);
    const bool geographic = all_geographic(set.queries) && all_geographic(set.references);
    return label_by_distance(set, threshold_m, geographic ? Metric::kEllipsoid : Metric::kPlane,
                             "'" + pair.positions->filename().string() + "'");
  }
  // The usual tools take the metres of the names, never the degrees.
  if (both_placed(set)) return label_by_distance(set, threshold_m, Metric::kPlane, "@east@north@ names");
  std::vector<Photo> queries = set.queries, references = set.references;
  for (auto* photos : {&queries, &references}) {
    for (auto& photo : *photos) {
      photo.position.reset();
      place_by_exif(photo);
    }
  }
  if (num_placed(queries) > 0 && num_placed(references) > 0) {
    set.queries = std::move(queries);
    set.references = std::move(references);
    return label_by_distance(set, threshold_m, Metric::kEllipsoid, "EXIF GPS");
  }
  set.protocol += "; no ground truth found";
  set.notes.push_back("no ground truth: neither a gt or positions file, nor @east@north@ names, nor EXIF GPS in both folders");
}

}  // namespace
}  // namespace dataset

int Dataset::without_positive() const {
  return static_cast<int>(std::ranges::count_if(positives, [](const auto& list) { return list.empty(); }));
}

Dataset load_folder_pair(const FolderPair& pair) {
  Dataset out;
  out.queries = photos_in(pair.queries, &out.notes);
  out.references = photos_in(pair.references, &out.notes);
  const std::string queries = last_part(pair.queries), references = last_part(pair.references);
  out.name = queries + " -> " + references;
  out.protocol = fmt::format("{} of folder '{}' against {} of folder '{}'", counted(out.queries.size(), "query"),
                             queries, counted(out.references.size(), "reference"), references);
  dataset::label(out, pair);
  return out;
}

}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Sets that come with lists: .npy files and dbStruct .mat files.
#include <algorithm>

#include "core/base/fail.h"
#include "core/base/file.h"
#include "core/base/limits.h"
#include "lab/dataset/dbstruct.h"
#include "lab/dataset/named.h"
#include "lab/dataset/near.h"
#include "lab/dataset/npy_lists.h"
#include "recognise/photos/photos.h"

namespace revisit::dataset {
namespace {

namespace fs = std::filesystem;

// Lists lie in the set's folder, or in the folder datasets/ of SALAD's repository.
std::optional<fs::path> folder_with(Places& places, const std::string& file) {
  places.first_tried.push_back(places.root / file);
  for (const auto& folder : places.folders) {
    for (const fs::path& base :
         {below(places.root, folder), below(places.root / "datasets", folder), below(places.root, folder) / "datasets"}) {
      if (is_there(base / file)) return base;
    }
  }
  return std::nullopt;
}

// Where the photos of the lists lie: the first folder that has the first of them.
fs::path photo_folder(const Places& places, const fs::path& lists, const std::string& first) {
  std::vector<fs::path> tried = {lists};
  for (const auto& folder : places.folders) {
    tried.push_back(below(places.root, folder));
    tried.push_back(below(places.root / "data", folder));
  }
  const auto found = std::ranges::find_if(tried, [&](const fs::path& base) { return is_there(base / first); });
  return found == tried.end() ? places.root : *found;
}

// From numbers in a file to reference indices.
std::vector<std::vector<int>> checked_positives(const std::vector<std::vector<std::int64_t>>& lists, std::size_t references,
                                                const fs::path& file) {
  std::vector<std::vector<int>> out(lists.size());
  for (std::size_t q = 0; q < lists.size(); ++q) {
    for (const auto index : lists[q]) {
      if (index < 0 || static_cast<std::uint64_t>(index) >= references) {
        fail(ErrorCode::kBadFile, "'{}' gives query {} the reference {}, but there are only {}", file.string(), q, index,
             references);
      }
      out[q].push_back(static_cast<int>(index));
    }
    std::ranges::sort(out[q]);
    out[q].erase(std::unique(out[q].begin(), out[q].end()), out[q].end());
  }
  return out;
}

std::vector<std::string> chosen(const std::vector<std::string>& names, const fs::path& file) {
  std::vector<std::string> out;
  for (const auto index : read_npy_integers(file)) {
    if (index < 0 || static_cast<std::uint64_t>(index) >= names.size()) {
      fail(ErrorCode::kBadFile, "'{}' selects the query {}, but there are only {}", file.string(), index, names.size());
    }
    out.push_back(names[static_cast<std::size_t>(index)]);
  }
  return out;
}

void need(const std::vector<std::string>& names, const fs::path& file) {
  if (names.empty()) fail(ErrorCode::kBadFile, "'{}' lists no photo", file.string());
}

}  // namespace

std::optional<Dataset> from_npy(Places& places, const std::string& stem, bool labelled, const std::string& rule) {
  const auto folder = folder_with(places, stem + "_dbImages.npy");
  if (!folder) return std::nullopt;
  const auto file = [&](const char* part) { return *folder / (stem + part + ".npy"); };
  const auto references = read_npy_texts(file("_dbImages"));
  auto queries = read_npy_texts(file("_qImages"));
  need(references, file("_dbImages"));
  need(queries, file("_qImages"));

  Dataset out;
  out.protocol = fmt::format("photos of {}_dbImages.npy and {}_qImages.npy, {}", stem, stem,
                             labelled ? rule : rule + "; they come without ground truth");
  if (labelled) {
    fs::path truth = file("_gt");
    if (!is_there(truth) && is_there(file("_gt_25m"))) truth = file("_gt_25m");
    if (!is_there(truth) && is_there(file("_pIdx"))) truth = file("_pIdx");
    const bool picked = is_there(file("_qIdx")) && truth == file("_pIdx");
    if (picked) queries = chosen(queries, file("_qIdx"));
    out.positives = checked_positives(read_npy_lists(truth), references.size(), truth);
    if (out.positives.size() != queries.size()) {
      fail(ErrorCode::kBadFile, "'{}' has {} lists for {} queries", truth.string(), out.positives.size(), queries.size());
    }
    out.labelled = true;
    out.notes.push_back(fmt::format("ground truth from '{}'", truth.string()));
    if (picked) out.protocol += fmt::format(", the queries that {}_qIdx.npy selects", stem);
  }
  const fs::path base = photo_folder(places, *folder, references.front());
  out.references = listed_photos(base, references, file("_dbImages").string());
  out.queries = listed_photos(base, queries, file("_qImages").string());
  return out;
}

std::optional<Dataset> from_dbstruct(Places& places, const std::string& stem) {
  const auto folder = folder_with(places, stem + ".mat");
  if (!folder) return std::nullopt;
  const fs::path file = *folder / (stem + ".mat");
  DbStruct data = parse_dbstruct(read_file(file, limits::kMaxMatBytes), file.string());
  need(data.references, file);
  need(data.queries, file);
  const fs::path base =
      is_there(*folder / data.references.front()) || folder->filename() != "datasets" ? *folder : folder->parent_path();
  for (auto& name : data.queries) name = "queries_real/" + name;

  Dataset out;
  out.references = listed_photos(base, data.references, file.string());
  out.queries = listed_photos(base, data.queries, file.string());
  for (std::size_t i = 0; i < out.references.size(); ++i) out.references[i].position = data.reference_places[i];
  for (std::size_t i = 0; i < out.queries.size(); ++i) out.queries[i].position = data.query_places[i];
  out.positives = positives_within(out.queries, out.references, data.threshold_m, Metric::kPlane);
  out.labelled = true;
  out.protocol = fmt::format("dbStruct of {}.mat (set '{}'), a reference within {:g} m on the UTM plane is right", stem,
                             data.which_set, data.threshold_m);
  return out;
}

}  // namespace revisit::dataset

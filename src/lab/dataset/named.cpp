// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The well-known data sets by name, and the layouts each may have.
#include "lab/dataset/named.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "core/base/fail.h"

namespace revisit {
namespace dataset {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kPittsFolders = {"", "Pittsburgh", "pittsburgh", "Pitts250k", "pitts250k", "pitts30k"};

std::vector<std::string> with(std::vector<std::string> folders, const std::vector<std::string>& more) {
  folders.insert(folders.end(), more.begin(), more.end());
  return folders;
}

struct Spec {
  std::string name;
  std::vector<std::string> folders;
  std::string layouts;  // for the hint
  std::function<std::optional<Dataset>(Places&)> load;
};

Spec pitts(const std::string& name, const std::string& folder, const std::string& split) {
  return {name, with(kPittsFolders, {folder, name}),
          fmt::format("{0}_dbImages.npy with {0}_qImages.npy and {0}_gt.npy, or {0}.mat with photos beside and queries_real/, or "
                      "{1}/images/{2}/{{database,queries}}",
                      name, folder, split),
          [=](Places& places) {
            if (auto found = from_npy(places, name, true, "accepted references from its lists (25 m)")) return found;
            if (auto found = from_dbstruct(places, name)) return found;
            places.folders = {"", folder};
            return from_named_folders(places, split, "25 m on the UTM plane");
          }};
}

std::optional<Dataset> nordland(Places& places) {
  if (auto found = from_npy(places, "Nordland", true, "accepted references from its lists (+-1 frame)")) return found;
  places.folders = {"nordland_subset"};
  if (auto found = from_named_folders(places, "test", "mock places of the names, which is +-1 frame")) return found;
  places.folders = {"", "Nordland", "nordland"};
  return from_frames(places, 10, 1);
}

std::optional<Dataset> msls_val_all(Places& places) {
  if (auto found = from_msls_csv(places, msls_split("msls_val_all"))) return found;
  return from_named_folders(places, "val", "25 m on the UTM plane; all queries, not the official 740");
}

std::optional<Dataset> msls_test(Places& places) {
  const MslsSplit split = msls_split("msls_test");
  auto found = from_npy(places, "msls_test", false, "its im2im lists");
  if (found) {
    label_msls_lists(*found, places, split);
  } else {
    found = from_msls_csv(places, split);
  }
  if (found) search_by_city(*found, split);
  return found;
}

std::optional<Dataset> msls_test_all(Places& places) {
  const MslsSplit split = msls_split("msls_test_all");
  auto found = from_msls_csv(places, split);
  if (found) search_by_city(*found, split);
  return found;
}

std::optional<Dataset> sped(Places& places) {
  if (auto found = from_npy(places, "SPED", true, "accepted references from its lists (the same camera)")) return found;
  if (auto found = from_named_folders(places, "test", "mock places of the names, one for each pair")) return found;
  return from_pairs(places, "query", "ref");
}

std::optional<Dataset> amstertime(Places& places) {
  if (auto found = from_named_folders(places, "test", "mock places of the names, one for each pair")) return found;
  return from_pairs(places, "old", "new");
}

std::vector<Spec> specs() {
  return {
      {"nordland",
       {"", "Nordland", "nordland"},
       "Nordland_{dbImages,qImages,gt}.npy with ref/ and query/, or only ref/ (27592) and query/ (2760)",
       nordland},
      {"nordland_all",
       {"", "nordland", "Nordland"},
       "nordland/images/test/{database,queries}, or summer/ and winter/, 27592 photos each",
       [](Places& places) {
         if (auto found = from_named_folders(places, "test", "mock places of the names, which is +-10 frames")) return found;
         return from_frames(places, 1, 10);
       }},
      {"nordland_3450",
       {"", "nordland_3450", "nordland", "Nordland"},
       "summer/ and winter/, or ref/ and query/, 3450 photos each",
       [](Places& places) { return from_frames(places, 1, 2); }},
      {"msls_val", with(msls_folders(), {"msls_val", "msls-val"}),
       "msls_val_{dbImages,qImages,qIdx,pIdx}.npy (the official 740 queries; msls_val_all needs no lists) and train_val/{cph,sf}",
       [](Places& places) { return from_npy(places, "msls_val", true, "accepted references from its lists (25 m)"); }},
      {"msls_val_all", msls_folders(), "train_val/{cph,sf}/{query,database}/{postprocessed.csv,raw.csv,images/}", msls_val_all},
      {"msls_test", with(msls_folders(), {"msls_test"}),
       "msls_test_{dbImages,qImages}.npy, or test/CITY/{query,database}/{postprocessed.csv or "
       "seq_info.csv,subtask_index.csv,images/}",
       msls_test},
      {"msls_test_all", msls_folders(), "test/CITY/{query,database}/{postprocessed.csv or seq_info.csv,images/}", msls_test_all},
      pitts("pitts30k_val", "pitts30k", "val"),
      pitts("pitts30k_test", "pitts30k", "test"),
      pitts("pitts250k_test", "pitts250k", "test"),
      {"sped",
       {"", "SPED", "sped"},
       "SPED_{dbImages,qImages,gt}.npy, or images/test/{database,queries}, or ref/ and query/",
       sped},
      {"amstertime", {"", "amstertime", "AmsterTime"}, "images/test/{database,queries}, or old/ and new/", amstertime},
  };
}

}  // namespace
}  // namespace dataset

std::vector<std::string> named_datasets() {
  std::vector<std::string> out;
  for (const auto& spec : dataset::specs()) out.push_back(spec.name);
  return out;
}

Dataset load_named(const std::string& name, const std::filesystem::path& root) {
  const auto specs = dataset::specs();
  const auto spec = std::ranges::find(specs, name, &dataset::Spec::name);
  if (spec == specs.end()) {
    fail_with_hint(ErrorCode::kUsage, fmt::format("known are {}", fmt::join(named_datasets(), ", ")),
                   "there is no data set named '{}'", name);
  }
  const std::string hint = fmt::format("{} is expected below '{}' as {}", name, root.string(), spec->layouts);
  std::error_code ignored;
  if (!std::filesystem::is_directory(root, ignored))
    fail_with_hint(ErrorCode::kNotFound, hint, "the folder '{}' does not exist", root.string());
  dataset::Places places{root, spec->folders, {}};
  auto found = spec->load(places);
  if (!found) {
    fail_with_hint(ErrorCode::kNotFound, hint, "'{}' does not exist, nor is {} in any other layout",
                   places.first_tried.front().string(), name);
  }
  found->name = name;
  found->protocol =
      fmt::format("{}: {} queries, {} references; {}", name, found->queries.size(), found->references.size(), found->protocol);
  return std::move(*found);
}

}  // namespace revisit

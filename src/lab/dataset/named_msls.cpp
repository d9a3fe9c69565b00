// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Mapillary Street-Level Sequences as published: one folder per city, tables of keys and places beside the photos.
#include <algorithm>

#include "core/base/fail.h"
#include "core/base/salted_hash.h"
#include "lab/dataset/msls_tables.h"
#include "lab/dataset/named.h"
#include "recognise/photos/photos.h"

namespace revisit::dataset {
namespace {

namespace fs = std::filesystem;

// Photos of one side in use, in the order of the table.
void add_side(std::vector<Photo>& out, const fs::path& base, const fs::path& folder, const MslsSide& side) {
  std::vector<std::string> names;
  std::vector<const Photo*> known;
  for (const auto& frame : side.frames) {
    if (!frame.used) continue;
    names.push_back((folder / "images" / (frame.key + ".jpg")).string());
    known.push_back(&frame.photo);
  }
  auto photos = listed_photos(base, names, side.table);
  for (std::size_t i = 0; i < photos.size(); ++i) {
    photos[i].position = known[i]->position;
    photos[i].time_s = known[i]->time_s;
    out.push_back(std::move(photos[i]));
  }
}

// Positives of queries [first_query, ..) among references [first_reference, ..): metres of two cities must never be compared.
void add_positives(Dataset& set, std::size_t first_query, std::size_t first_reference, bool metres) {
  const std::vector<Photo> queries(set.queries.begin() + static_cast<std::ptrdiff_t>(first_query), set.queries.end());
  const std::vector<Photo> references(set.references.begin() + static_cast<std::ptrdiff_t>(first_reference),
                                      set.references.end());
  for (auto& list : msls_positives(queries, references, metres)) {
    for (int& index : list) index += static_cast<int>(first_reference);
    set.positives.push_back(std::move(list));
  }
}

// Names are like test/miami/query/images/KEY.jpg.
std::string city_of(const Photo& photo) {
  return fs::path(photo.name).parent_path().parent_path().parent_path().filename().string();
}

}  // namespace

std::optional<Dataset> from_msls_csv(Places& places, const MslsSplit& split) {
  const fs::path first = fs::path(split.folder) / split.cities.front();
  places.first_tried.push_back(places.root / first / "query" / "postprocessed.csv");
  const auto folder =
      std::ranges::find_if(places.folders, [&](const auto& name) { return has_msls_tables(below(places.root, name) / first); });
  if (folder == places.folders.end()) return std::nullopt;
  const fs::path base = below(places.root, *folder);
  Dataset out;
  std::size_t panoramas = 0;
  bool placed = true, metres = true, task = true;
  std::string names;
  for (const auto& city : split.cities) {
    const fs::path side = fs::path(split.folder) / city;
    const auto first_query = out.queries.size(), first_reference = out.references.size();
    const MslsSide queries = read_msls_side(base / side / "query", split.challenge);
    const MslsSide references = read_msls_side(base / side / "database", split.challenge);
    add_side(out.queries, base, side / "query", queries);
    add_side(out.references, base, side / "database", references);
    panoramas += queries.panoramas + references.panoramas;
    placed = placed && queries.placed && references.placed;
    metres = metres && queries.metres && references.metres;
    task = task && queries.task_table && references.task_table;
    if (placed) add_positives(out, first_query, first_reference, queries.metres && references.metres);
    names += (names.empty() ? "" : ", ") + city;
  }
  out.labelled = placed;
  if (!placed) out.positives.clear();
  const std::string truth = placed ? fmt::format("a reference of the same city within {:g} m ({}) is right", kMslsThresholdM,
                                                 metres ? "postprocessed.csv" : "raw.csv")
                                   : "without ground truth (no postprocessed.csv or raw.csv says where every photo was taken)";
  out.protocol = fmt::format("{} of the cities {} except panoramas ({}), {}",
                             task ? "photos of the task \"all\" (subtask_index.csv)" : "all photos", names, panoramas, truth);
  return out;
}

void label_msls_lists(Dataset& set, Places& places, const MslsSplit& split) {
  NameMap<Photo> queries, references;  // by city/key
  bool metres = true;
  for (const auto& city : split.cities) {
    const auto folder = std::ranges::find_if(
        places.folders, [&](const auto& name) { return has_msls_tables(below(places.root, name) / split.folder / city); });
    if (folder == places.folders.end()) return;
    const fs::path base = below(places.root, *folder) / split.folder / city;
    MslsSide query = read_msls_side(base / "query", false), database = read_msls_side(base / "database", false);
    if (!query.placed || !database.placed) return;
    metres = metres && query.metres && database.metres;
    for (auto& frame : query.frames)
      if (frame.used) queries.emplace(city + "/" + frame.key, std::move(frame.photo));
    for (auto& frame : database.frames)
      if (frame.used) references.emplace(city + "/" + frame.key, std::move(frame.photo));
  }
  const auto place = [&](std::vector<Photo>& photos, const NameMap<Photo>& table) {
    for (auto& photo : photos) {
      const auto found = table.find(city_of(photo) + "/" + fs::path(photo.name).stem().string());
      photo.position = found == table.end() ? std::nullopt : found->second.position;
    }
  };
  place(set.queries, queries);
  place(set.references, references);
  set.positives = msls_positives(set.queries, set.references, metres);
  for (std::size_t q = 0; q < set.queries.size(); ++q) {
    const std::string city = city_of(set.queries[q]);
    std::erase_if(set.positives[q], [&](int r) { return city_of(set.references[static_cast<std::size_t>(r)]) != city; });
  }
  set.labelled = true;
  set.protocol += fmt::format("; labelled by {}: a reference of the same city within {:g} m is right",
                              metres ? "postprocessed.csv" : "raw.csv", kMslsThresholdM);
}

void search_by_city(Dataset& set, const MslsSplit& split) {
  set.parts = split.cities;
  const auto part_of = [&](const Photo& photo) {
    const auto found = std::ranges::find(set.parts, city_of(photo));
    if (found == set.parts.end()) {
      fail(ErrorCode::kBadFile, "'{}' does not lie in one of the cities of {}, as in {}/{}/query/images/KEY.jpg", photo.name,
           set.name.empty() ? "the set" : set.name, split.folder, split.cities.front());
    }
    return static_cast<int>(found - set.parts.begin());
  };
  for (const auto& photo : set.queries) set.query_parts.push_back(part_of(photo));
  for (const auto& photo : set.references) set.reference_parts.push_back(part_of(photo));
  set.protocol += "; searched city by city, as the challenge asks";
}

}  // namespace revisit::dataset

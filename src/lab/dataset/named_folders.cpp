// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Sets that are folders of photos: with places in the names, frames in the same order, or pairs of the same name.
#include <algorithm>

#include "core/base/fail.h"
#include "core/base/salted_hash.h"
#include "core/formats/text.h"
#include "lab/dataset/named.h"
#include "lab/dataset/near.h"
#include "recognise/photos/photos.h"

namespace revisit::dataset {
namespace {

namespace fs = std::filesystem;

constexpr double kThresholdM = 25;

struct TwoFolders {
  fs::path queries, references;
};

// The first of the set's folders that has both; one without the other is an error.
std::optional<TwoFolders> find_two(Places& places, const std::vector<std::pair<fs::path, fs::path>>& pairs) {
  std::error_code ignored;
  places.first_tried.push_back(places.root / pairs.front().second);
  for (const auto& folder : places.folders) {
    for (const auto& [queries, references] : pairs) {
      const TwoFolders two{below(places.root, folder) / queries, below(places.root, folder) / references};
      const bool has_queries = fs::is_directory(two.queries, ignored), has_references = fs::is_directory(two.references, ignored);
      if (has_queries && has_references) return two;
      if (has_queries != has_references) {
        fail(ErrorCode::kNotFound, "'{}' does not exist, but '{}' is", (has_queries ? two.references : two.queries).string(),
             (has_queries ? two.queries : two.references).string());
      }
    }
  }
  return std::nullopt;
}

std::string stem_of(const Photo& photo) { return photo.name.substr(0, photo.name.rfind('.')); }

void check_placed(const std::vector<Photo>& photos) {
  for (const auto& photo : photos) {
    if (!photo.position) {
      fail(ErrorCode::kBadFile, "the name of '{}' has no position: it should start with @east@north@", photo.path.string());
    }
  }
}

}  // namespace

std::optional<Dataset> from_named_folders(Places& places, const std::string& split, const std::string& rule) {
  const fs::path images = fs::path("images") / split;
  const auto two =
      find_two(places, {{images / "queries", images / "database"}, {fs::path(split) / "queries", fs::path(split) / "database"}});
  if (!two) return std::nullopt;
  Dataset out;
  out.queries = photos_in(two->queries);
  out.references = photos_in(two->references);
  check_placed(out.queries);
  check_placed(out.references);
  out.positives = positives_within(out.queries, out.references, kThresholdM, Metric::kPlane);
  out.labelled = true;
  out.protocol =
      fmt::format("split {} with @east@north@ names, a reference within {:g} m is right ({})", split, kThresholdM, rule);
  return out;
}

std::optional<Dataset> from_frames(Places& places, int stride, int tolerance) {
  const fs::path test = fs::path("images") / "test";
  std::vector<std::pair<fs::path, fs::path>> pairs = {
      {"query", "ref"}, {test / "queries", test / "database"}, {"queries", "database"}};
  if (stride == 1) pairs.emplace_back("winter", "summer");
  const auto two = find_two(places, pairs);
  if (!two) return std::nullopt;
  Dataset out;
  out.queries = photos_in(two->queries);
  out.references = photos_in(two->references);
  const auto references = static_cast<std::int64_t>(out.references.size());
  const std::int64_t expected = (references + stride - 1) / stride;
  if (static_cast<std::int64_t>(out.queries.size()) != expected) {
    fail(ErrorCode::kMismatch, "'{}' has {}, but should have {}: one for every {}frame of the {} references",
         two->queries.string(), counted(out.queries.size(), "photo"), expected, stride == 1 ? "" : fmt::format("{}th ", stride),
         references);
  }
  for (std::int64_t q = 0; q < expected; ++q) {
    auto& list = out.positives.emplace_back();
    for (auto r = std::max<std::int64_t>(0, stride * q - tolerance); r <= std::min(references - 1, stride * q + tolerance); ++r) {
      list.push_back(static_cast<int>(r));
    }
  }
  out.labelled = true;
  out.protocol =
      fmt::format("frames of '{}' against '{}' in the order of their names, {}references within +-{} of the same frame are right",
                  two->queries.filename().string(), two->references.filename().string(),
                  stride == 1 ? "" : fmt::format("query i is frame {}i, ", stride), tolerance);
  return out;
}

std::optional<Dataset> from_pairs(Places& places, const std::string& queries, const std::string& references) {
  const auto two = find_two(places, {{queries, references}});
  if (!two) return std::nullopt;
  Dataset out;
  out.queries = photos_in(two->queries);
  out.references = photos_in(two->references);
  NameMap<std::vector<int>> by_stem;
  for (std::size_t i = 0; i < out.references.size(); ++i) by_stem[stem_of(out.references[i])].push_back(static_cast<int>(i));
  for (const auto& query : out.queries) {
    const auto found = by_stem.find(stem_of(query));
    out.positives.push_back(found == by_stem.end() ? std::vector<int>() : found->second);
  }
  out.labelled = true;
  out.protocol = fmt::format("'{}' against '{}', the reference of the same name is right", queries, references);
  if (out.without_positive() > 0)
    out.notes.push_back(fmt::format("{} without a reference of the same name", counted(out.without_positive(), "query")));
  return out;
}

}  // namespace revisit::dataset

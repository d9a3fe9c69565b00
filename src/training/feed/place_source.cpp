// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Choosing the kind of source, and the checks the kinds share.
#include "training/feed/place_source.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <system_error>

#include "core/base/fail.h"
#include "recognise/photos/photos.h"
#include "training/feed/sources.h"

namespace revisit::feed {
namespace {

namespace fs = std::filesystem;

fs::path settled_folder(const fs::path& path) {
  std::error_code ignored;
  const fs::path found = fs::weakly_canonical(path, ignored);
  return ((ignored ? path : found) / "").parent_path();  // without a slash at the end
}

/// A part of the contents of a source: a town, a folder with all below it, or one city of a folder.
struct Shown {
  fs::path folder;   // empty: a town
  std::string part;  // the town's seed, or the city; empty: all of the folder

  bool overlaps(const Shown& other) const {
    if (folder.empty() || other.folder.empty()) return folder == other.folder && part == other.part;
    if (folder == other.folder) return part.empty() || other.part.empty() || part == other.part;
    return is_within(folder, other.folder) || is_within(other.folder, folder);
  }
  std::string in_words() const {
    if (folder.empty()) return "the town of seed " + part;
    return part.empty() ? fmt::format("the folder '{}'", folder.string()) : fmt::format("the city {} of '{}'", part, folder.string());
  }

 private:
  static bool is_within(const fs::path& inner, const fs::path& outer) {
    const auto [end, rest] = std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
    return end == outer.end();
  }
};

std::vector<Shown> shown_by(const TrainSource& source) {
  switch (source.kind) {
    case TrainSource::Kind::kTown: return {{{}, fmt::format("{}", source.seed)}};
    case TrainSource::Kind::kPairs: return {{settled_folder(source.path / source.queries), ""}, {settled_folder(source.path / source.references), ""}};
    case TrainSource::Kind::kGsvCities: {
      std::vector<Shown> out;
      for (const auto& city : source.cities) out.push_back({settled_folder(source.path), city});
      if (!out.empty()) return out;
      break;
    }
    case TrainSource::Kind::kFolders: break;
  }
  return {{settled_folder(source.path), ""}};
}

}  // namespace

std::vector<int> PlaceSource::draw(int place, SplitMix& random) const {
  std::vector<int> out(static_cast<std::size_t>(images(place)));
  std::iota(out.begin(), out.end(), 0);
  shuffle(out, random);
  return out;
}

std::unique_ptr<PlaceSource> open_source(const TrainSource& source, int images_per_place, int places_per_batch) {
  switch (source.kind) {
    case TrainSource::Kind::kGsvCities: return open_gsv_cities(source, images_per_place, places_per_batch);
    case TrainSource::Kind::kFolders: return open_place_folders(source, places_per_batch);
    case TrainSource::Kind::kPairs: return open_pairs(source, places_per_batch);
    case TrainSource::Kind::kTown: break;
  }
  return open_town(source, places_per_batch);
}

void check_apart(const std::vector<TrainSource>& sources) {
  std::vector<Shown> seen;
  for (const TrainSource& source : sources) {
    const auto shown = shown_by(source);
    // The two folders of a traverse may be nested; naming a city twice is wrong even within one source.
    const bool within = source.kind != TrainSource::Kind::kPairs;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const auto same = [&](const Shown& other) { return other.overlaps(shown[i]); };
      const auto earlier = std::ranges::find_if(seen, same);
      const auto own = std::find_if(shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>(i), same);
      if (earlier == seen.end() && (!within || own == shown.begin() + static_cast<std::ptrdiff_t>(i))) continue;
      fail_with_hint(ErrorCode::kUsage, "keep one of them, or split it into folders of different places",
                     "two sources use {}: the same place would be learnt as two different ones", shown[i].in_words());
    }
    seen.insert(seen.end(), shown.begin(), shown.end());
  }
}

std::string source_name(const char* kind, const fs::path& path) { return fmt::format("{} '{}'", kind, last_part(path)); }

void require_folder(const fs::path& folder, const std::string& hint) {
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) return;
  fail_with_hint(ErrorCode::kNotFound, hint, "the folder '{}' {}", folder.string(),
                 is_there(folder) ? "is not a folder" : "does not exist");
}

void require_places(const std::string& source, const PlaceCount& count, int places_per_batch) {
  if (count.usable == 0) {
    fail_with_hint(ErrorCode::kUsage, count.hint,
                   "none of the {} places of {} has {} pictures that can be used together; the most any place has is {}",
                   grouped(count.all), source, count.images_needed, grouped(count.most_images));
  }
  if (count.usable < places_per_batch) {
    fail_with_hint(ErrorCode::kUsage, "lower places_per_batch, or this source's weight",
                   "{} has {} places with at least {} pictures, but a batch takes {} of them", source, grouped(count.usable),
                   count.images_needed, places_per_batch);
  }
}

std::string grouped(std::int64_t number) {
  std::string out = fmt::format("{}", number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = out.size(); at > first + 3;) {
    at -= 3;
    out.insert(at, 1, ',');
  }
  return out;
}

void shuffle(std::vector<int>& values, SplitMix& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

}  // namespace revisit::feed

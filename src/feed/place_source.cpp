// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Choosing the kind of source, and the checks the kinds share.
#include "feed/place_source.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>
#include <system_error>

#include "base/fail.h"
#include "dataset/photos.h"
#include "feed/sources.h"

namespace revisit::feed {
namespace {

namespace fs = std::filesystem;

// What a source shows, as names: two sources with a name in common show the same places.
std::set<std::string> shown_by(const TrainSource& source) {
  const auto folder = [](const fs::path& path) {
    std::error_code ignored;
    const fs::path found = fs::weakly_canonical(path, ignored);
    return ((ignored ? path : found) / "").parent_path().string();  // without a slash at the end
  };
  switch (source.kind) {
    case TrainSource::Kind::kTown: return {fmt::format("the town of seed {}", source.seed)};
    case TrainSource::Kind::kPairs:
      return {fmt::format("the folder '{}'", folder(source.path / source.queries)),
              fmt::format("the folder '{}'", folder(source.path / source.references))};
    case TrainSource::Kind::kGsvCities:
      if (!source.cities.empty()) {
        std::set<std::string> out;
        for (const auto& city : source.cities) out.insert(fmt::format("the city {} of '{}'", city, folder(source.path)));
        return out;
      }
      [[fallthrough]];
    case TrainSource::Kind::kFolders: break;
  }
  return {fmt::format("the folder '{}'", folder(source.path))};
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
  std::set<std::string> seen;
  for (const TrainSource& source : sources) {
    for (const std::string& shown : shown_by(source)) {
      if (seen.insert(shown).second) continue;
      fail_with_hint(ErrorCode::kUsage, "keep one of them, or split it into folders of different places",
                     "two sources use {}: the same place would be learnt as two different ones", shown);
    }
  }
}

std::string source_name(const char* kind, const fs::path& path) { return fmt::format("{} '{}'", kind, dataset::last_part(path)); }

void require_folder(const fs::path& folder, const std::string& hint) {
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) return;
  fail_with_hint(ErrorCode::kNotFound, hint, "the folder '{}' is {}", folder.string(),
                 dataset::is_there(folder) ? "not a folder" : "not there");
}

void require_places(const std::string& source, const PlaceCount& count, int places_per_batch) {
  if (count.usable == 0) {
    fail_with_hint(ErrorCode::kUsage, count.hint,
                   "none of the {} places of {} has {} pictures that can be used together; the most of a place is {}",
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

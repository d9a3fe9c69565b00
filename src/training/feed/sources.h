// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One function per kind of source, and shared helpers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "training/feed/place_source.h"

namespace revisit::feed {

std::unique_ptr<PlaceSource> open_gsv_cities(const TrainSource& source, int images_per_place, int places_per_batch);
std::unique_ptr<PlaceSource> open_place_folders(const TrainSource& source, int places_per_batch);
std::unique_ptr<PlaceSource> open_pairs(const TrainSource& source, int places_per_batch);
std::unique_ptr<PlaceSource> open_town(const TrainSource& source, int places_per_batch);

/// "gsv-cities 'data'": the last part of the path is enough to tell sources apart.
std::string source_name(const char* kind, const std::filesystem::path& path);

/// Throws Error kNotFound when it is not a folder; the hint says what it should contain.
void require_folder(const std::filesystem::path& folder, const std::string& hint);

struct PlaceCount {
  int usable = 0;
  int all = 0;
  int most_images = 0;    ///< of any place
  int images_needed = 2;  ///< for a place to be usable
  std::string hint{};     ///< when none is
};
/// Throws Error kUsage when no place, or too few, can be used.
void require_places(const std::string& source, const PlaceCount& count, int places_per_batch);

/// "62,000".
std::string grouped(std::int64_t number);

void shuffle(std::vector<int>& values, SplitMix& random);

/// Mixes several numbers, such as a seed, a step and a slot, into one: neighbours give unrelated results.
template <typename... Parts>
std::uint64_t seed_of(Parts... parts) {
  std::uint64_t out = 0;
  ((out = scatter(out ^ scatter(static_cast<std::uint64_t>(parts)))), ...);
  return out;
}

}  // namespace revisit::feed

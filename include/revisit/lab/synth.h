// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The procedural town: street scenes with known places, rendered under seasons, light, weather and viewpoint.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "revisit/geo.h"
#include "revisit/image.h"

namespace revisit {

/// Conditions of one picture; views of a place differ in all of them.
struct SceneConditions {
  enum class Season { kSummer, kAutumn, kSnow } season = Season::kSummer;
  enum class Light { kDay, kDusk, kNight } light = Light::kDay;
  enum class Weather { kClear, kOvercast, kFog, kRain } weather = Weather::kClear;
  std::uint64_t traffic_seed = 0;  ///< seed of the cars and people in view
};

/// Where the camera of one view stands, relative to the place's own viewpoint.
struct SceneCamera {
  double side_m = 0;
  double forward_m = 0;
  double heading_deg = 0;
  double height_m = 1.7;
};

/// One picture. The same arguments give the same bytes on every machine. With `like` the place lies in the same estate as that
/// one: street, ground and kinds of houses look alike; which house stands where, and all that stands around, do not.
Image render_place(std::uint64_t town_seed, int place, const SceneCamera& camera, const SceneConditions& conditions, Size size,
                   std::optional<int> like = {});

struct TownOptions {
  int places = 50;
  int views = 3;  ///< pictures per place: 1 query and views - 1 references
  std::uint64_t seed = 0;
  Size size{360, 480};
  int alike = 1;  ///< so many places in turn form an estate whose streets look alike; 1: none do
};

struct TownView {
  int place = 0;
  std::optional<int> like;  ///< the place whose estate it lies in
  bool query = false;
  SceneCamera camera;
  SceneConditions conditions;
  Position position;
  std::string file_name;  ///< "@east@north@...@.jpg"
};

/// View `view` of place `place` (view 0 is the query). Query and references of a place are seen under different conditions.
TownView town_view(const TownOptions& options, int place, int view);

/// Writes OUT/database, OUT/queries and OUT/gt.csv. progress(done, total) may stop it by returning false.
void write_town(const std::filesystem::path& out, const TownOptions& options, const std::function<bool(int, int)>& progress = {});

}  // namespace revisit

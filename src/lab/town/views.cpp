// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Where places lie on the map, and how each of their pictures differs: viewpoint, season, light, weather, traffic.
#include <algorithm>
#include <array>

#include "core/base/fail.h"
#include "lab/town/town.h"

namespace revisit {

namespace town {

namespace {

// Streets cross every 150 m and a place strays at most 20 m from its crossing: places are at least 110 m apart.
constexpr double kBlock_m = 150;
constexpr float kStray_m = 20;
constexpr int kZone = 32;
constexpr double kTownEast_m = 500'000, kTownNorth_m = 5'300'000;

struct Standpoint {
  double east_m, north_m, street_deg;
};

/// Places fill growing squares of blocks, so a place's position does not depend on how many there are.
Standpoint spot_of(std::uint64_t seed, int place) {
  int shell = 0;
  while ((shell + 1) * (shell + 1) <= place) ++shell;
  const int rest = place - shell * shell;
  const int column = rest <= shell ? shell : 2 * shell - rest, row = rest <= shell ? rest : shell;
  Rng rng(combine(seed, 0x6d6170ULL + static_cast<std::uint64_t>(place)));
  const float dx = rng.range(-kStray_m, kStray_m), dy = rng.range(-kStray_m, kStray_m);
  const int quarter = rng.below(4);
  const float bend = rng.range(-12, 12);
  return {kTownEast_m + kBlock_m * column + static_cast<double>(dx), kTownNorth_m + kBlock_m * row + static_cast<double>(dy),
          90.0 * quarter + static_cast<double>(bend)};
}

struct Mood {
  int season, light, weather;
};

/// Moods that share nothing with the first one: 2 seasons x 2 lights x 3 weathers, in random order.
std::array<Mood, 13> moods_of(Rng& rng) {
  std::array<Mood, 13> moods{};
  moods[0] = {rng.below(3), rng.below(3), 0};
  moods[0].weather = rng.below(4);
  std::size_t count = 1;
  for (int s = 1; s < 3; ++s) {
    for (int l = 1; l < 3; ++l) {
      for (int w = 1; w < 4; ++w)
        moods[count++] = {(moods[0].season + s) % 3, (moods[0].light + l) % 3, (moods[0].weather + w) % 4};
    }
  }
  for (std::size_t i = moods.size() - 1; i > 1; --i)
    std::swap(moods[i], moods[1 + static_cast<std::size_t>(rng.below(static_cast<int>(i)))]);
  return moods;
}

}  // namespace

}  // namespace town

TownView town_view(const TownOptions& options, int place_number, int view) {
  using town::combine, town::Mood, town::Place, town::Rng, town::SinCos, town::Standpoint;
  if (place_number < 0 || place_number >= options.places || view < 0 || view >= options.views) {
    fail(ErrorCode::kUsage, "view {} of place {} does not exist: the town has {} places of {} views", view, place_number,
         options.places, options.views);
  }
  TownView out;
  out.place = place_number;
  out.query = view == 0;
  if (options.alike > 1 && place_number % options.alike != 0) out.like = place_number - place_number % options.alike;

  const std::uint64_t own = combine(options.seed, 0x76696577ULL + static_cast<std::uint64_t>(place_number));
  Rng of_place(own);
  const auto moods = town::moods_of(of_place);
  const Mood mood = moods[view == 0 ? 0 : 1 + static_cast<std::size_t>(view - 1) % (moods.size() - 1)];
  out.conditions.season = static_cast<SceneConditions::Season>(mood.season);
  out.conditions.light = static_cast<SceneConditions::Light>(mood.light);
  out.conditions.weather = static_cast<SceneConditions::Weather>(mood.weather);

  Rng rng(combine(own, 1 + static_cast<std::uint64_t>(view)));
  out.conditions.traffic_seed = rng.bits();
  const Place place = town::make_place(options.seed, place_number, out.like);
  const float room = (place.right_front - place.left_front) / 2;
  const float reach = std::min(1.8f, room - 2.5f);
  out.camera.side_m = static_cast<double>(rng.range(-reach, reach));
  out.camera.forward_m = static_cast<double>(rng.range(-2, 2));
  out.camera.heading_deg = static_cast<double>(rng.range(-7.5f, 7.5f));
  out.camera.height_m = static_cast<double>(rng.range(1.55f, 2.1f));

  const Standpoint spot = town::spot_of(options.seed, place_number);
  const double facing_deg = spot.street_deg + static_cast<double>(place.heading_deg);
  const SinCos base = town::sin_cos_deg(facing_deg);
  const auto s = static_cast<double>(base.sin), c = static_cast<double>(base.cos);
  out.position.east_m = spot.east_m + c * out.camera.side_m + s * out.camera.forward_m;
  out.position.north_m = spot.north_m - s * out.camera.side_m + c * out.camera.forward_m;
  out.position.geographic = to_lat_lon({out.position.east_m, out.position.north_m, town::kZone, true});
  double heading_deg = facing_deg + out.camera.heading_deg;
  while (heading_deg < 0) heading_deg += 360;
  while (heading_deg >= 360) heading_deg -= 360;
  out.position.heading_deg = heading_deg;
  out.file_name = name_with_position(out.position, fmt::format("place{:05}view{:02}", place_number, view));
  return out;
}

}  // namespace revisit

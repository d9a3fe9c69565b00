// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// District tendencies, colours and the walls of a house.
#include "lab/town/building.h"

namespace revisit::town {

Vec3 vivid_colour(Rng& rng) {
  static constexpr std::array<Vec3, 8> kColours{{{0.72f, 0.10f, 0.08f},
                                                 {0.08f, 0.22f, 0.58f},
                                                 {0.06f, 0.38f, 0.18f},
                                                 {0.85f, 0.62f, 0.08f},
                                                 {0.80f, 0.34f, 0.06f},
                                                 {0.38f, 0.10f, 0.42f},
                                                 {0.06f, 0.42f, 0.46f},
                                                 {0.12f, 0.12f, 0.14f}}};
  const float light = rng.range(0.8f, 1.15f);
  return kColours[static_cast<std::size_t>(rng.below(8))] * light;
}

Vec3 wall_colour_of(Pattern pattern, Rng& rng) {
  const float light = rng.range(0.75f, 1.1f);
  switch (pattern) {
    case Pattern::kBrick: {
      static constexpr std::array<Vec3, 5> kBricks{
          {{0.46f, 0.17f, 0.11f}, {0.55f, 0.30f, 0.18f}, {0.62f, 0.50f, 0.32f}, {0.33f, 0.14f, 0.12f}, {0.40f, 0.36f, 0.34f}}};
      return kBricks[static_cast<std::size_t>(rng.below(5))] * light;
    }
    case Pattern::kStone: return Vec3{rng.range(0.45f, 0.66f), rng.range(0.43f, 0.60f), rng.range(0.36f, 0.52f)} * light;
    case Pattern::kPanel: return Vec3{rng.range(0.45f, 0.62f), rng.range(0.46f, 0.60f), rng.range(0.45f, 0.62f)} * light;
    case Pattern::kGlassGrid: return Vec3{rng.range(0.20f, 0.34f), rng.range(0.28f, 0.42f), rng.range(0.34f, 0.48f)} * light;
    case Pattern::kTimber: return Vec3{0.72f, 0.68f, rng.range(0.48f, 0.62f)} * light;
    case Pattern::kSiding:
    case Pattern::kPlaster: break;
  }
  static constexpr std::array<Vec3, 10> kPlasters{{{0.74f, 0.66f, 0.46f},
                                                   {0.76f, 0.72f, 0.64f},
                                                   {0.70f, 0.48f, 0.36f},
                                                   {0.52f, 0.60f, 0.66f},
                                                   {0.56f, 0.64f, 0.50f},
                                                   {0.74f, 0.58f, 0.26f},
                                                   {0.66f, 0.42f, 0.40f},
                                                   {0.80f, 0.78f, 0.74f},
                                                   {0.46f, 0.44f, 0.42f},
                                                   {0.60f, 0.26f, 0.20f}}};
  return kPlasters[static_cast<std::size_t>(rng.below(10))] * light;
}

Vec3 roof_colour(Rng& rng) {
  static constexpr std::array<Vec3, 5> kRoofs{
      {{0.46f, 0.17f, 0.10f}, {0.22f, 0.23f, 0.26f}, {0.32f, 0.20f, 0.14f}, {0.26f, 0.42f, 0.36f}, {0.38f, 0.34f, 0.30f}}};
  const float light = rng.range(0.8f, 1.2f);
  return kRoofs[static_cast<std::size_t>(rng.below(5))] * light;
}

District make_district(Rng& rng) {
  District d;
  const float tallness = rng.unit();
  d.floors_low = 1 + static_cast<int>(tallness * 4);
  d.floors_high = d.floors_low + rng.between(1, 3);
  d.width_low = rng.range(5, 11);
  d.width_high = d.width_low + rng.range(2, 12);
  d.floor_height = rng.range(2.8f, 3.8f);
  d.pattern = static_cast<Pattern>(rng.below(kPatterns));
  d.roof = static_cast<RoofShape>(rng.below(kRoofShapes));
  d.windows = static_cast<WindowStyle>(rng.below(kWindowStyles));
  d.roof_colour = roof_colour(rng);
  d.shop_share = rng.range(0, 0.9f);
  d.balcony_share = rng.range(0, 0.7f);
  d.unity = rng.range(0.25f, 0.7f);
  return d;
}

namespace {

Facade make_facade(const HouseSize& size, const District& district, Rng& rng) {
  Facade f;
  f.pattern = rng.chance(district.unity) ? district.pattern : static_cast<Pattern>(rng.below(kPatterns));
  f.style = rng.chance(district.unity) ? district.windows : static_cast<WindowStyle>(rng.below(kWindowStyles));
  f.width = size.width;
  f.floor_height = district.floor_height * rng.range(0.9f, 1.12f);
  f.ground_height = f.floor_height * rng.range(1.0f, 1.4f);
  f.height = f.ground_height + f.floor_height * static_cast<float>(size.floors - 1) + rng.range(0.2f, 0.9f);
  const float bay = rng.range(1.7f, 4.2f) * (f.style == WindowStyle::kStrip ? 1.5f : 1.0f);
  f.bays = static_cast<int>(size.width / bay);
  if (f.bays < 1) f.bays = 1;
  f.window_width = f.style == WindowStyle::kStrip ? rng.range(0.75f, 0.94f) : rng.range(0.32f, 0.62f);
  f.window_height = f.style == WindowStyle::kTall ? rng.range(0.66f, 0.8f) : rng.range(0.4f, 0.6f);
  f.sill = f.style == WindowStyle::kTall ? rng.range(0.03f, 0.1f) : rng.range(0.2f, 0.32f);
  f.recess_m = rng.range(0.08f, 0.42f);
  f.ground = rng.chance(district.shop_share) ? (rng.chance(0.7f) ? GroundFloor::kShops : GroundFloor::kArcade)
                                             : (rng.chance(0.8f) ? GroundFloor::kHomes : GroundFloor::kGarage);
  f.ground_pattern = rng.chance(0.5f) ? f.pattern : (rng.chance(0.6f) ? Pattern::kStone : Pattern::kPanel);
  f.pattern_scale = rng.range(0.8f, 1.7f);
  f.wall = wall_colour_of(f.pattern, rng);
  f.mortar = f.wall * rng.range(0.5f, 1.25f);
  f.trim = rng.chance(0.6f) ? Vec3{0.78f, 0.76f, 0.70f} * rng.range(0.8f, 1.1f) : f.wall * rng.range(0.4f, 0.7f);
  f.frame = rng.chance(0.6f) ? Vec3{0.82f, 0.81f, 0.78f} : vivid_colour(rng) * 0.5f;
  const float door_shade = rng.range(0.5f, 0.9f);
  f.door = vivid_colour(rng) * door_shade;
  f.shop = vivid_colour(rng);
  f.door_bay = rng.below(f.bays);
  f.bands = rng.chance(0.45f);
  f.quoins = rng.chance(0.3f);
  f.pilasters = rng.chance(0.2f);
  f.surrounds = rng.chance(0.5f);
  f.pediments = f.surrounds && rng.chance(0.4f);
  f.blank_share = rng.chance(0.3f) ? rng.range(0.1f, 0.35f) : 0;
  f.seed = rng.bits32();
  return f;
}

int add_facade(Scene& scene, const Facade& facade) {
  scene.facades.push_back(facade);
  Material m;
  m.surface = Surface::kFacade;
  m.facade = static_cast<int>(scene.facades.size()) - 1;
  m.colour = facade.wall;
  m.seed = facade.seed;
  return scene.add(m);
}

void add_wall(Scene& scene, Vec3 left, Vec3 along, float width, float height, int material) {
  scene.quad(left, left + along * width, left + along * width + kUp * height, left + kUp * height, material);
}

/// Side and back walls: the same house, fewer windows, no shop.
Facade plainer(const Facade& front, float width, Rng& rng) {
  Facade f = front;
  f.width = width;
  f.bays = static_cast<int>(width / rng.range(2.8f, 4.5f));
  if (f.bays < 1) f.bays = 1;
  f.door_bay = -1;
  f.ground = GroundFloor::kHomes;
  f.blank_share = rng.range(0.3f, 0.9f);
  f.surrounds = f.pediments = f.pilasters = false;
  f.ground_pattern = f.pattern;
  f.seed = rng.bits32();
  return f;
}

}  // namespace

void add_house(Scene& scene, const Frame& frame, const HouseSize& size, const District& district, bool near_view, Rng& rng) {
  const Facade front = make_facade(size, district, rng);
  const float w = size.width, d = size.depth, h = front.height;
  add_wall(scene, frame.at(0, 0, 0), frame.along, w, h, add_facade(scene, front));
  const int side = add_facade(scene, plainer(front, d, rng));
  add_wall(scene, frame.at(w, 0, 0), frame.inward, d, h, side);
  add_wall(scene, frame.at(0, d, 0), -frame.inward, d, h, side);
  if (!near_view) add_wall(scene, frame.at(w, d, 0), -frame.along, w, h, side);

  Material wall;
  wall.surface = Surface::kWall;
  wall.pattern = front.pattern;
  wall.colour = front.wall;
  wall.second = front.mortar;
  wall.scale = front.pattern_scale;
  wall.seed = front.seed;
  const int wall_material = scene.add(wall);
  Material roof;
  roof.surface = Surface::kRoof;
  roof.colour = rng.chance(district.unity) ? district.roof_colour : roof_colour(rng);
  roof.scale = rng.range(0.8f, 1.8f);
  roof.seed = rng.bits32();
  const RoofShape shape = front.pattern == Pattern::kGlassGrid ? RoofShape::kFlat
                          : rng.chance(district.unity)         ? district.roof
                                                               : static_cast<RoofShape>(rng.below(kRoofShapes));
  add_roof(scene, frame, w, d, h, shape, wall_material, scene.add(roof), rng);
  if (near_view) add_relief(scene, frame, front, district, rng);
}

}  // namespace revisit::town

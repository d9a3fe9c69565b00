// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What a place is known by: church, clock tower, hall with columns, tower block, gatehouse; and monuments of squares.
#include "lab/town/town.h"

namespace revisit::town {

namespace {

struct Finish {
  int wall, roof, trim, facade;
};

Finish make_look(Scene& scene, float width, float height, Rng& rng) {
  static constexpr std::array<Pattern, 3> kPatternsOfLandmarks{Pattern::kStone, Pattern::kBrick, Pattern::kPlaster};
  Material wall;
  wall.surface = Surface::kWall;
  wall.pattern = kPatternsOfLandmarks[static_cast<std::size_t>(rng.below(3))];
  wall.colour = wall_colour_of(wall.pattern, rng);
  wall.second = wall.colour * rng.range(0.5f, 0.8f);
  wall.scale = rng.range(1, 2);
  wall.seed = rng.bits32();
  Material roof;
  roof.surface = Surface::kRoof;
  roof.colour = roof_colour(rng);
  roof.scale = rng.range(0.8f, 1.6f);
  roof.seed = rng.bits32();
  Facade f;
  f.width = width;
  f.height = height;
  f.floor_height = f.ground_height = height / static_cast<float>(rng.between(1, 3));
  f.bays = rng.between(2, 6);
  f.style = rng.chance(0.7f) ? WindowStyle::kArched : WindowStyle::kRound;
  f.window_width = rng.range(0.3f, 0.5f);
  f.window_height = rng.range(0.5f, 0.7f);
  f.sill = 0.15f;
  f.recess_m = 0.4f;
  f.pattern = f.ground_pattern = wall.pattern;
  f.pattern_scale = wall.scale;
  f.wall = wall.colour;
  f.mortar = wall.second;
  f.trim = rng.chance(0.5f) ? Vec3{0.7f, 0.68f, 0.62f} : wall.colour * 0.6f;
  f.frame = {0.12f, 0.12f, 0.13f};
  f.door = {0.25f, 0.13f, 0.07f};
  f.door_bay = f.bays / 2;
  f.surrounds = true;
  f.pilasters = rng.chance(0.4f);
  f.seed = rng.bits32();
  scene.facades.push_back(f);
  Material facade;
  facade.surface = Surface::kFacade;
  facade.facade = static_cast<int>(scene.facades.size()) - 1;
  facade.seed = f.seed;
  return {scene.add(wall), scene.add(roof), paint(scene, f.trim), scene.add(facade)};
}

void pyramid(Scene& scene, const Frame& f, Extent a, Extent b, float z, float rise, int material) {
  const Vec3 tip = f.at((a.low + a.high) / 2, (b.low + b.high) / 2, z + rise);
  const std::array<Vec3, 4> c{f.at(a.low, b.low, z), f.at(a.high, b.low, z), f.at(a.high, b.high, z), f.at(a.low, b.high, z)};
  for (std::size_t i = 0; i < 4; ++i) scene.triangle(c[i], c[(i + 1) % 4], tip, material);
}

/// A shaft with openings, a clock perhaps, and a spire, dome or battlements on top.
void tower(Scene& scene, const Frame& f, float a, float b, float side, float height, const Finish& look, Rng& rng) {
  add_box(scene, f, {a, a + side}, {b, b + side}, {0, height}, look.wall, look.roof);
  const int dark = paint(scene, {0.05f, 0.05f, 0.06f});
  const float z = height - side * rng.range(0.9f, 1.4f), slit = side * rng.range(0.15f, 0.3f);
  for (const float shift : {0.28f, 0.72f}) {
    const float centre = a + side * shift;
    scene.quad(f.at(centre - slit / 2, b - 0.05f, z), f.at(centre + slit / 2, b - 0.05f, z),
               f.at(centre + slit / 2, b - 0.05f, z + side * 0.7f), f.at(centre - slit / 2, b - 0.05f, z + side * 0.7f), dark);
  }
  add_box(scene, f, {a - 0.25f, a + side + 0.25f}, {b - 0.25f, b + side + 0.25f}, {z - 0.7f, z - 0.3f}, look.trim, look.trim);
  add_box(scene, f, {a - 0.3f, a + side + 0.3f}, {b - 0.3f, b + side + 0.3f}, {height - 0.5f, height}, look.trim, look.trim);
  if (rng.chance(0.6f)) {  // a clock
    const float r = side * 0.3f, cz = z - 1 - r;
    Material face;
    face.surface = Surface::kSign;
    face.pattern = Pattern::kPanel;  // rings instead of letters
    face.colour = rng.chance(0.5f) ? Vec3{0.85f, 0.83f, 0.75f} : Vec3{0.08f, 0.1f, 0.2f};
    face.second = rng.chance(0.5f) ? Vec3{0.1f, 0.1f, 0.1f} : Vec3{0.7f, 0.55f, 0.15f};
    face.width = 2 * r;
    const int clock = scene.add(face);
    scene.quad(f.at(a + side / 2 - r, b - 0.1f, cz - r), f.at(a + side / 2 + r, b - 0.1f, cz - r),
               f.at(a + side / 2 + r, b - 0.1f, cz + r), f.at(a + side / 2 - r, b - 0.1f, cz + r), clock);
  }
  switch (rng.below(3)) {
    case 0:
      pyramid(scene, f, {a - 0.3f, a + side + 0.3f}, {b - 0.3f, b + side + 0.3f}, height, side * rng.range(1, 3), look.roof);
      break;
    case 1:
      scene.balls.push_back({f.at(a + side / 2, b + side / 2, height), side * 0.55f, look.roof, 0});
      scene.balls.push_back({f.at(a + side / 2, b + side / 2, height + side * 0.65f), side * 0.18f, look.trim, 0});
      break;
    default:
      for (int i = 0; i < 4; ++i) {
        const float from = a + side * static_cast<float>(i) / 4;
        add_box(scene, f, {from, from + side / 8}, {b - 0.2f, b + 0.3f}, {height, height + 0.9f}, look.wall, look.trim);
      }
  }
}

void hall(Scene& scene, const Frame& f, float width, float depth, float height, const Finish& look, bool columns, Rng& rng) {
  scene.quad(f.at(0, 0, 0), f.at(width, 0, 0), f.at(width, 0, height), f.at(0, 0, height), look.facade);
  scene.quad(f.at(width, 0, 0), f.at(width, depth, 0), f.at(width, depth, height), f.at(width, 0, height), look.wall);
  scene.quad(f.at(0, depth, 0), f.at(0, 0, 0), f.at(0, 0, height), f.at(0, depth, height), look.wall);
  add_roof(scene, f, width, depth, height, columns || rng.chance(0.6f) ? RoofShape::kGableToStreet : RoofShape::kHip, look.wall,
           look.roof, rng);
  if (!columns) return;
  const int count = rng.between(4, 7);
  const float thick = width / static_cast<float>(count) * 0.3f, out = rng.range(1.2f, 2);
  for (int i = 0; i < count; ++i) {
    const float a = (width - thick) * static_cast<float>(i) / static_cast<float>(count - 1);
    add_box(scene, f, {a, a + thick}, {-out, -out + thick}, {0.5f, height - 0.8f}, look.trim, look.trim);
  }
  add_box(scene, f, {-0.2f, width + 0.2f}, {-out - 0.2f, 0}, {height - 0.8f, height + 0.1f}, look.trim, look.trim);
  add_box(scene, f, {-0.5f, width + 0.5f}, {-out - 0.6f, 0}, {0, 0.5f}, look.trim, look.trim);
}

}  // namespace

void add_landmark(Scene& scene, const Frame& frame, float width, Rng& rng) {
  const float height = rng.range(6, 12);
  const Finish look = make_look(scene, width, height, rng);
  switch (rng.below(4)) {
    case 0: {  // a church: nave and tower
      hall(scene, frame, width, 18, height, look, false, rng);
      const float side = rng.range(3.5f, 5);
      const float a = rng.chance(0.5f) ? -side / 2 : width - side / 2, b = rng.chance(0.5f) ? -1.0f : 2.0f,
                  over = rng.range(6, 14);
      tower(scene, frame, a, b, side, height + over, look, rng);
      break;
    }
    case 1: hall(scene, frame, width, 14, height, look, true, rng); break;
    case 2: {  // a gatehouse: two towers and what is between
      const float side = rng.range(3, 4.5f), z = rng.range(9, 15);
      hall(scene, frame, width, 8, height, look, false, rng);
      tower(scene, frame, -side * 0.3f, -1.2f, side, z, look, rng);
      tower(scene, frame, width - side * 0.7f, -1.2f, side, z, look, rng);
      break;
    }
    default: {  // a tall chimney or silo over a workshop
      hall(scene, frame, width, 16, height * 0.7f, look, false, rng);
      const float side = rng.range(1.6f, 3), a = rng.range(0.1f, 0.8f) * width;
      add_box(scene, frame, {a, a + side}, {2, 2 + side}, {0, height + rng.range(8, 18)}, look.wall, look.roof);
      add_box(scene, frame, {a - 0.2f, a + side + 0.2f}, {1.8f, 2.2f + side}, {height + 4, height + 5}, look.trim, look.trim);
    }
  }
}

void add_monument(Scene& scene, Vec3 foot, Rng& rng) {
  const Frame f = Frame::facing(foot, {1, 0, 0});
  const int stone = paint(scene, Vec3{0.6f, 0.58f, 0.52f} * rng.range(0.6f, 1.1f));
  const int metal = paint(scene, rng.chance(0.5f) ? Vec3{0.2f, 0.36f, 0.3f} : Vec3{0.16f, 0.13f, 0.1f});
  const float s = rng.range(0.8f, 1.6f), h = rng.range(1.5f, 3);
  add_box(scene, f, {-s * 1.5f, s * 1.5f}, {-s * 1.5f, s * 1.5f}, {0, 0.4f}, stone, stone);
  switch (rng.below(4)) {
    case 0:  // a statue
      add_box(scene, f, {-s * 0.7f, s * 0.7f}, {-s * 0.7f, s * 0.7f}, {0.4f, h}, stone, stone);
      add_box(scene, f, {-0.45f, 0.45f}, {-0.3f, 0.3f}, {h, h + 1.6f}, metal, metal);
      add_box(scene, f, {0.3f, 1.1f}, {-0.15f, 0.15f}, {h + 1.2f, h + 1.5f}, metal, metal);
      scene.balls.push_back({f.at(0, 0, h + 1.85f), 0.32f, metal, 0});
      break;
    case 1:  // a column
      add_box(scene, f, {-s * 0.4f, s * 0.4f}, {-s * 0.4f, s * 0.4f}, {0.4f, h * 4}, stone, stone);
      add_box(scene, f, {-s * 0.6f, s * 0.6f}, {-s * 0.6f, s * 0.6f}, {h * 4, h * 4 + 0.5f}, stone, stone);
      scene.balls.push_back({f.at(0, 0, h * 4 + 1), 0.7f, metal, 0});
      break;
    case 2: {  // a fountain
      Material water;
      water.surface = Surface::kWater;
      water.colour = {0.1f, 0.2f, 0.25f};
      add_box(scene, f, {-s * 2, s * 2}, {-s * 2, s * 2}, {0, 0.7f}, stone, scene.add(water));
      add_box(scene, f, {-0.3f, 0.3f}, {-0.3f, 0.3f}, {0.7f, h}, stone, stone);
      scene.balls.push_back({f.at(0, 0, h), s * 0.8f, stone, 0});
      break;
    }
    default: {  // a kiosk
      Material board;
      board.surface = Surface::kSign;
      board.colour = vivid_colour(rng);
      board.second = {0.85f, 0.83f, 0.78f};
      board.seed = rng.bits32();
      const int sides = scene.add(board), roof = paint(scene, vivid_colour(rng) * 0.6f);
      add_box(scene, f, {-1.3f, 1.3f}, {-1.3f, 1.3f}, {0.2f, 2.5f}, sides, roof);
      pyramid(scene, f, {-1.8f, 1.8f}, {-1.8f, 1.8f}, 2.5f, rng.range(0.7f, 1.8f), roof);
    }
  }
}

}  // namespace revisit::town

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What stands out from a front wall: cornices, balconies, bay windows, awnings, boards and hanging signs.
#include "lab/town/building.h"

namespace revisit::town {

namespace {

int sign(Scene& scene, Rng& rng) {
  Material m;
  m.surface = Surface::kSign;
  m.colour = vivid_colour(rng);
  m.second = rng.chance(0.5f) ? Vec3{0.85f, 0.84f, 0.78f} : vivid_colour(rng);
  if (rng.chance(0.3f)) m.colour = {0.8f, 0.79f, 0.74f};
  m.scale = rng.range(0.7f, 1.5f);
  m.seed = rng.bits32();
  return scene.add(m);
}

/// A picture instead of words.
int poster(Scene& scene, Rng& rng) {
  Material m;
  m.surface = Surface::kSign;
  m.pattern = Pattern::kGlassGrid;
  m.colour = vivid_colour(rng);
  m.second = rng.chance(0.5f) ? Vec3{0.85f, 0.84f, 0.78f} : vivid_colour(rng);
  m.scale = rng.range(0.5f, 1.3f);
  m.seed = rng.bits32();
  return scene.add(m);
}

void balcony(Scene& scene, const Frame& f, float a, float z, float width, float out, int slab, int railing, bool solid) {
  add_box(scene, f, {a, a + width}, {-out, 0}, {z - 0.18f, z}, slab, slab);
  const float top = z + 1.0f;
  const std::array<Vec3, 4> corner{f.at(a, 0, z), f.at(a, -out, z), f.at(a + width, -out, z), f.at(a + width, 0, z)};
  for (std::size_t i = 0; i < 3; ++i) {
    Face& side = scene.quad(corner[i], corner[i + 1], corner[i + 1] + kUp * (top - z), corner[i] + kUp * (top - z), railing);
    side.two_sided = true;
    side.has_gaps = !solid;
  }
}

void balconies(Scene& scene, const Frame& frame, const Facade& f, Rng& rng) {
  Material bars;
  bars.surface = rng.chance(0.6f) ? Surface::kRailing : Surface::kPaint;
  bars.colour = rng.chance(0.5f) ? Vec3{0.07f, 0.07f, 0.08f} : vivid_colour(rng) * 0.7f;
  const int railing = scene.add(bars), slab = paint(scene, f.trim * 0.8f);
  const float bay = f.width / static_cast<float>(f.bays), out = rng.range(0.6f, 1.3f);
  const int every = rng.between(1, 3), first = rng.below(every), span = rng.between(1, 2);
  const bool whole_width = rng.chance(0.15f);
  int floor = rng.between(1, 2);
  for (float z = f.ground_height + f.floor_height * static_cast<float>(floor - 1); z + f.floor_height < f.height + 0.3f;
       z += f.floor_height, ++floor) {
    if (whole_width) {
      balcony(scene, frame, 0.3f, z, f.width - 0.6f, out, slab, railing, bars.surface == Surface::kPaint);
      continue;
    }
    for (int b = first; b < f.bays; b += every * span) {
      balcony(scene, frame, (static_cast<float>(b) + 0.08f) * bay, z, bay * 0.84f, out, slab, railing,
              bars.surface == Surface::kPaint);
    }
  }
}

void bay_window(Scene& scene, const Frame& frame, const Facade& f, Rng& rng) {
  Facade own = f;
  own.width = rng.range(1.8f, 3.2f);
  if (own.width > f.width * 0.6f) return;
  own.bays = 1;
  own.blank_share = 0;
  own.window_width = 0.7f;
  own.wall = f.trim;
  own.ground_height = own.floor_height;
  own.door_bay = -1;
  own.ground = GroundFloor::kHomes;
  own.height = f.height - f.ground_height;
  scene.facades.push_back(own);
  Material m;
  m.surface = Surface::kFacade;
  m.facade = static_cast<int>(scene.facades.size()) - 1;
  m.seed = own.seed;
  const float a = rng.range(0.1f, 0.9f) * (f.width - own.width), out = rng.range(0.6f, 1.1f);
  add_box(scene, frame, {a, a + own.width}, {-out, 0}, {f.ground_height, f.height + rng.range(-0.3f, 1.8f)}, scene.add(m),
          paint(scene, f.trim * 0.6f));
}

void shop_front(Scene& scene, const Frame& frame, const Facade& f, Rng& rng) {
  const float low = f.ground_height - rng.range(0.7f, 1.0f), from = rng.range(0, 0.3f) * f.width,
              to = rng.range(0.65f, 1) * f.width;
  const int board = sign(scene, rng);
  add_box(scene, frame, {from, to}, {-0.16f, 0}, {low, low + rng.range(0.55f, 0.85f)}, board, paint(scene, {0.3f, 0.3f, 0.3f}));
  if (rng.chance(0.45f)) {
    Material cloth;
    cloth.surface = Surface::kSign;
    cloth.pattern = Pattern::kSiding;  // stripes instead of letters
    cloth.colour = vivid_colour(rng);
    cloth.second = {0.8f, 0.79f, 0.75f};
    cloth.seed = rng.bits32();
    const float out = rng.range(0.9f, 1.7f);
    scene
        .quad(frame.at(from, -out, low - 0.7f), frame.at(to, -out, low - 0.7f), frame.at(to, 0, low), frame.at(from, 0, low),
              scene.add(cloth))
        .two_sided = true;
  }
}

}  // namespace

void add_relief(Scene& scene, const Frame& frame, const Facade& f, const District& district, Rng& rng) {
  if (rng.chance(0.6f)) {
    const int stone = paint(scene, f.trim * 0.95f);
    const float out = rng.range(0.2f, 0.55f);
    add_box(scene, frame, {0, f.width}, {-out, 0}, {f.height - 0.45f, f.height - 0.02f}, stone, stone);
    if (rng.chance(0.5f))
      add_box(scene, frame, {0, f.width}, {-0.2f, 0}, {f.ground_height - 0.15f, f.ground_height + 0.12f}, stone, stone);
  }
  if (f.pattern != Pattern::kGlassGrid && rng.chance(district.balcony_share)) {
    balconies(scene, frame, f, rng);
  } else if (rng.chance(0.25f) && f.height > f.ground_height + 2) {
    bay_window(scene, frame, f, rng);
  }
  if (f.ground == GroundFloor::kShops) shop_front(scene, frame, f, rng);
  if (rng.chance(0.45f)) {  // a sign at right angles to the wall
    const float a = rng.range(0.1f, 0.9f) * f.width, z = rng.range(2.6f, 4.2f), height = rng.range(0.6f, 2.4f),
                out = rng.range(0.6f, 1.2f);
    add_box(scene, frame, {a, a + 0.14f}, {-out, -0.1f}, {z, z + height}, sign(scene, rng), paint(scene, {0.2f, 0.2f, 0.2f}));
  }
  if (rng.chance(0.3f)) {  // a large board on the wall
    const float a = rng.range(0.1f, 0.4f) * f.width, z = f.ground_height + rng.range(0.3f, 1.5f);
    const float width = rng.range(0.3f, 0.55f) * f.width, height = rng.range(1.2f, 3);
    const int board = rng.chance(0.3f) ? sign(scene, rng) : poster(scene, rng);
    add_box(scene, frame, {a, a + width}, {-0.12f, 0}, {z, z + height}, board, paint(scene, {0.3f, 0.3f, 0.3f}));
  }
}

}  // namespace revisit::town

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The layout of a place: two rows of houses (or a park), side streets, what closes the view, and the ground.
#include "lab/town/town.h"

namespace revisit::town {

namespace {

constexpr float kBehind_m = 14;  // the scene begins this far behind the viewpoint
constexpr float kKerb_m = 0.14f;

struct Row {
  float front;  // x of the fronts
  bool left;
  float setback;    // how much single fronts may step back
  float gap_share;  // probability of a gap after a house
};

struct Ground {
  int road, paving, grass;
};

int wall_material(Scene& scene, Pattern pattern, Rng& rng) {
  Material m;
  m.surface = Surface::kWall;
  m.pattern = pattern;
  m.colour = wall_colour_of(pattern, rng);
  m.second = m.colour * 0.6f;
  m.seed = rng.bits32();
  return scene.add(m);
}

void flat(Scene& scene, Extent x, Extent y, float z, int material) {
  scene.quad({x.low, y.low, z}, {x.high, y.low, z}, {x.high, y.high, z}, {x.low, y.high, z}, material);
}

/// Houses from behind the viewpoint to the end of the street; gaps become side streets or yards.
void add_row(Place& place, const Row& row, const District& district, const Ground& ground, Rng& rng) {
  Scene& scene = place.scene;
  float y = -kBehind_m - rng.range(0, 8);
  while (y < place.end) {
    const float width = rng.range(district.width_low, district.width_high), depth = rng.range(9, 14);
    const float back = rng.chance(0.5f) ? rng.range(0, row.setback) : 0;
    const float x = row.left ? row.front - back : row.front + back;
    // `along` runs so that the front faces the street (Frame::facing).
    const Frame frame = row.left ? Frame::facing({x, y, 0}, {0, 1, 0}) : Frame::facing({x, y + width, 0}, {0, -1, 0});
    const HouseSize size{width, depth, rng.between(district.floors_low, district.floors_high)};
    if (width > 8 && rng.chance(0.14f)) {
      add_landmark(scene, frame, width, rng);
    } else {
      add_house(scene, frame, size, district, y < 45, rng);
    }
    y += width;
    if (!rng.chance(row.gap_share)) continue;
    const bool street = rng.chance(0.55f);
    const float gap = street ? rng.range(5, 10) : rng.range(2, 6);
    const float far_x = row.left ? row.front - 60 : row.front + 60;
    const Extent across{row.left ? far_x : place.road_width / 2, row.left ? -place.road_width / 2 : far_x};
    if (street) {
      flat(scene, across, {y, y + gap}, kKerb_m + 0.02f, ground.road);
    } else {
      flat(scene, across, {y, y + gap}, kKerb_m + 0.02f, ground.grass);
      const int wall = wall_material(scene, rng.chance(0.5f) ? Pattern::kBrick : Pattern::kStone, rng);
      const float z = rng.range(0.9f, 2.4f);
      add_box(scene, frame, {width, width + gap}, {-back, 0.3f - back}, {0, z}, wall, wall);
      place.trees.push_back({{row.left ? x - 3 : x + 3, y + gap / 2, 0}, rng.range(5, 10), rng.chance(0.3f), rng.bits()});
    }
    if (rng.chance(0.7f)) {  // what is seen through the gap
      const float bx = row.left ? row.front - rng.range(22, 40) : row.front + rng.range(22, 40);
      const float wide = rng.range(14, 24);
      const Frame behind =
          row.left ? Frame::facing({bx, y - wide / 3, 0}, {0, 1, 0}) : Frame::facing({bx, y + wide * 0.7f, 0}, {0, -1, 0});
      add_house(scene, behind, {wide, 10, rng.between(district.floors_low, district.floors_high + 2)}, district, false, rng);
    }
    y += gap;
  }
}

/// Grass, trees, a fence or hedge, and a row of houses far behind.
void add_park(Place& place, const Row& row, const District& district, const Ground& ground, Rng& rng) {
  Scene& scene = place.scene;
  const float side = row.left ? -1.0f : 1.0f, deep = rng.range(25, 50);
  const Extent across = row.left ? Extent{row.front - deep, row.front} : Extent{row.front, row.front + deep};
  flat(scene, across, {-kBehind_m, place.end}, kKerb_m + 0.01f, ground.grass);
  Material fence;
  fence.surface = rng.chance(0.6f) ? Surface::kRailing : Surface::kWall;
  fence.pattern = rng.chance(0.5f) ? Pattern::kStone : Pattern::kBrick;
  fence.colour = fence.surface == Surface::kRailing ? vivid_colour(rng) * 0.4f : wall_colour_of(fence.pattern, rng);
  fence.second = fence.colour * 0.6f;
  fence.seed = rng.bits32();
  const int fence_material = scene.add(fence);
  const float z = rng.range(0.7f, 1.5f);
  Face& face = scene.quad({row.front, -kBehind_m, 0}, {row.front, place.end, 0}, {row.front, place.end, z},
                          {row.front, -kBehind_m, z}, fence_material);
  face.two_sided = true;
  face.has_gaps = fence.surface == Surface::kRailing;
  for (int i = rng.between(3, 8); i > 0; --i) {
    place.trees.push_back({{row.front + side * rng.range(3, deep - 3), rng.range(2, place.end), 0},
                           rng.range(6, 12),
                           rng.chance(0.35f),
                           rng.bits()});
  }
  if (rng.chance(0.6f)) add_monument(scene, {row.front + side * rng.range(5, 14), rng.range(6, 24), 0}, rng);
  Row far_row = row;
  far_row.front = row.front + side * deep;
  for (float y = -kBehind_m; y < place.end;) {
    const float width = rng.range(district.width_low, district.width_high) * 1.2f;
    const Frame frame =
        row.left ? Frame::facing({far_row.front, y, 0}, {0, 1, 0}) : Frame::facing({far_row.front, y + width, 0}, {0, -1, 0});
    add_house(scene, frame, {width, 10, rng.between(district.floors_low, district.floors_high)}, district, false, rng);
    y += width + (rng.chance(0.3f) ? rng.range(2, 8) : 0);
  }
}

void close_street(Place& place, const District& district, Rng& rng) {
  const float wide = place.right_front - place.left_front;
  if (rng.chance(0.6f)) {
    const float width = rng.range(10, 18), x = rng.range(place.left_front - 2, place.right_front - width + 6);
    add_landmark(place.scene, Frame::facing({x, place.end + 9, 0}, {1, 0, 0}), width, rng);
  }
  if (rng.chance(0.6f)) {
    for (float x = place.left_front - 12; x < place.right_front + 12;) {
      const float width = rng.range(district.width_low, district.width_high);
      add_house(place.scene, Frame::facing({x, place.end + 14, 0}, {1, 0, 0}),
                {width, 12, rng.between(district.floors_low, district.floors_high + 1)}, district, place.end < 40, rng);
      x += width;
    }
  } else {
    for (int i = 0; i < 6; ++i) {
      const float x = rng.range(-70, 70) + (place.left_front + wide / 2), y = place.end + rng.range(40, 140);
      const HouseSize size{rng.range(12, 30), 15, rng.between(3, 12)};
      add_house(place.scene, Frame::facing({x, y, 0}, {1, 0, 0}), size, district, false, rng);
    }
  }
}

void add_hills(Scene& scene, Rng& rng) {
  Material m;
  m.surface = Surface::kHill;
  m.colour = Vec3{rng.range(0.12f, 0.2f), rng.range(0.2f, 0.28f), rng.range(0.12f, 0.18f)};
  m.seed = rng.bits32();
  const int hill = scene.add(m);
  const float tall = rng.chance(0.5f) ? rng.range(20, 90) : rng.range(4, 16);
  constexpr int kParts = 18;
  float last = tall * rng.unit();
  for (int i = 0; i < kParts; ++i) {
    const SinCos from = sin_cos_deg(-100.0 + 200.0 * i / kParts), to = sin_cos_deg(-100.0 + 200.0 * (i + 1) / kParts);
    const float next = tall * rng.unit(), r = 420;
    scene.quad({r * from.sin, r * from.cos, -2}, {r * to.sin, r * to.cos, -2}, {r * to.sin, r * to.cos, next},
               {r * from.sin, r * from.cos, last}, hill);
    last = next;
  }
}

Ground add_ground(Place& place, Rng& rng) {
  Scene& scene = place.scene;
  Material road;
  road.surface = Surface::kRoad;
  road.pattern = rng.chance(0.3f) ? Pattern::kStone : Pattern::kPlaster;  // cobbles or asphalt
  road.colour = road.pattern == Pattern::kStone ? Vec3{0.34f, 0.32f, 0.30f} * rng.range(0.7f, 1.2f)
                                                : Vec3{0.20f, 0.20f, 0.21f} * rng.range(0.7f, 1.4f);
  road.width = place.road_width;
  road.crossing = rng.chance(0.4f) ? kBehind_m + rng.range(4, 22) : -1;
  road.scale = rng.range(0.8f, 1.6f);
  road.seed = rng.bits32();
  Material paving;
  paving.surface = Surface::kPaving;
  paving.colour = Vec3{rng.range(0.36f, 0.5f), rng.range(0.35f, 0.46f), rng.range(0.32f, 0.44f)};
  paving.second = paving.colour * 0.65f;
  paving.scale = rng.range(0.5f, 1.6f);
  paving.seed = rng.bits32();
  Material grass;
  grass.surface = Surface::kGrass;
  grass.colour = {0.16f, 0.30f, 0.09f};
  grass.seed = rng.bits32();
  Material side = road;
  side.crossing = -1;
  side.width = 0;  // no lane markings
  const int road_material = scene.add(road);
  const Ground ground{scene.add(side), scene.add(paving), scene.add(grass)};
  const float half = place.road_width / 2, stop = place.end + 6;
  flat(scene, {-450, 450}, {-60, 450}, -0.06f, rng.chance(0.5f) ? ground.grass : ground.paving);
  flat(scene, {-half, half}, {-kBehind_m, stop}, 0, road_material);
  flat(scene, {-90, 90}, {place.end, place.end + 9}, 0.02f, ground.road);
  const Frame frame = Frame::facing({0, 0, 0}, {1, 0, 0});  // a = x, b = y
  add_box(scene, frame, {place.left_front - 30, -half}, {-kBehind_m, place.end}, {-0.05f, kKerb_m}, ground.paving, ground.paving);
  add_box(scene, frame, {half, place.right_front + 30}, {-kBehind_m, place.end}, {-0.05f, kKerb_m}, ground.paving, ground.paving);
  return ground;
}

void add_furniture(Place& place, Rng& rng) {
  const float half = place.road_width / 2;
  // Nothing that lasts may fill the picture from close by: it would hide the place in all its views.
  const auto free_at = [&](float x, float y) {
    const float dx = x - place.viewpoint.x, dy = y - place.viewpoint.y;
    return dx * dx + dy * dy > 6.5f * 6.5f;
  };
  if (rng.chance(0.8f)) {
    const float spacing = rng.range(14, 28), height = rng.range(4, 8), phase = rng.range(0, spacing);
    const int kind = rng.below(3);
    const bool both = rng.chance(0.5f), left = rng.chance(0.5f);
    const int count = floor_int((place.end + kBehind_m - phase) / spacing) + 1;
    for (int i = 0; i < count; ++i) {
      const float y = phase - kBehind_m + spacing * static_cast<float>(i);
      const float shifted = y + (both ? spacing / 2 : 0);
      if ((both || left) && free_at(-half, y)) add_lamp_post(place.scene, {-half - 0.5f, y, kKerb_m}, 1, kind, height);
      if ((both || !left) && free_at(half, shifted))
        add_lamp_post(place.scene, {half + 0.5f, shifted, kKerb_m}, -1, kind, height);
    }
  }
  for (int side = 0; side < 2; ++side) {
    const float kerb = side == 0 ? -half - 1.1f : half + 1.1f;
    if (rng.chance(0.3f)) {  // an avenue
      const float spacing = rng.range(8, 18), height = rng.range(5, 10);
      const bool conifer = rng.chance(0.15f);
      const float first = rng.range(0, spacing) - 4;
      for (int i = 0; first + spacing * static_cast<float>(i) < place.end; ++i) {
        const float y = first + spacing * static_cast<float>(i);
        const Tree tree{{kerb, y, kKerb_m}, height * rng.range(0.8f, 1.2f), conifer, rng.bits()};
        if (rng.chance(0.85f) && free_at(kerb, y)) place.trees.push_back(tree);
      }
    }
    if (rng.chance(0.3f)) {
      const float y = rng.range(6, 26);
      const Frame frame =
          side == 0 ? Frame::facing({kerb - 0.6f, y, kKerb_m}, {0, 1, 0}) : Frame::facing({kerb + 0.6f, y, kKerb_m}, {0, -1, 0});
      add_bus_stop(place.scene, frame, rng);
    }
    Material wood;
    wood.colour = {0.3f, 0.2f, 0.12f};
    const int bench = place.scene.add(wood);
    for (int i = rng.below(3); i > 0; --i) {
      const float x = side == 0 ? place.left_front + 1.2f : place.right_front - 1.2f, y = rng.range(4, 30);
      add_bench(place.scene, side == 0 ? Frame::facing({x, y, kKerb_m}, {0, 1, 0}) : Frame::facing({x, y, kKerb_m}, {0, -1, 0}),
                bench);
    }
  }
}

}  // namespace

Place make_place(std::uint64_t town_seed, int place_number, std::optional<int> like) {
  const auto draws_of = [town_seed](int number) {
    return Rng(combine(town_seed, 0x706c616365ULL + static_cast<std::uint64_t>(number)));
  };
  Rng rng = draws_of(like.value_or(place_number));
  Place place;
  const bool square = rng.chance(0.25f);
  place.road_width = rng.range(5.5f, 11);
  const float left_walk = square && rng.chance(0.5f) ? rng.range(6, 13) : rng.range(2.5f, 5);
  const float right_walk = square ? rng.range(6, 13) : rng.range(2.5f, 5);
  place.left_front = -place.road_width / 2 - left_walk;
  place.right_front = place.road_width / 2 + right_walk;
  place.end = rng.chance(0.4f) ? rng.range(22, 40) : rng.range(45, 95);
  place.heading_deg = rng.range(14, 58);
  if (rng.chance(0.5f)) place.heading_deg = -place.heading_deg;
  place.horizon = rng.range(0.62f, 0.74f);
  // Looking right, the camera stands on the left, to see more than one front.
  const float look = place.heading_deg / 58;
  const float middle = (place.left_front + place.right_front) / 2, reach = (place.right_front - place.left_front) / 2 - 3.2f;
  place.viewpoint = {middle - look * reach * rng.range(0.5f, 1), 0, 0};

  const Ground ground = add_ground(place, rng);
  const District left_district = make_district(rng);
  const District right_district = rng.chance(0.5f) ? left_district : make_district(rng);
  if (like) rng = draws_of(place_number);
  const int park = rng.chance(0.22f) ? rng.between(1, 2) : 0;
  const Row left{place.left_front, true, rng.range(0, 3), rng.range(0.05f, 0.5f)};
  const Row right{place.right_front, false, rng.range(0, 3), rng.range(0.05f, 0.5f)};
  if (park == 1) {
    add_park(place, left, left_district, ground, rng);
  } else {
    add_row(place, left, left_district, ground, rng);
  }
  if (park == 2) {
    add_park(place, right, right_district, ground, rng);
  } else {
    add_row(place, right, right_district, ground, rng);
  }
  close_street(place, rng.chance(0.5f) ? left_district : right_district, rng);
  add_hills(place.scene, rng);
  if (square && rng.chance(0.8f)) {
    add_monument(place.scene, {(place.road_width / 2 + place.right_front) / 2, rng.range(7, 20), kKerb_m}, rng);
  }
  add_furniture(place, rng);
  return place;
}

}  // namespace revisit::town

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Cars, vans, cyclist-sized people: whatever stands in the way in one picture and is gone in the next.
#include "lab/town/town.h"

namespace revisit::town {

namespace {

struct Paints {
  int dark, glass, head_light, tail_light;
};

/// The cabin: a box whose top is smaller than its foot.
void frustum(Scene& scene, const Frame& f, Extent a, Extent b, Extent z, float slope_a, float slope_b, int side, int top) {
  const std::array<Vec3, 4> low{f.at(a.low, b.low, z.low), f.at(a.high, b.low, z.low), f.at(a.high, b.high, z.low),
                                f.at(a.low, b.high, z.low)};
  const std::array<Vec3, 4> high{f.at(a.low + slope_a, b.low + slope_b, z.high), f.at(a.high - slope_a, b.low + slope_b, z.high),
                                 f.at(a.high - slope_a, b.high - slope_b, z.high),
                                 f.at(a.low + slope_a, b.high - slope_b, z.high)};
  for (std::size_t i = 0; i < 4; ++i) scene.quad(low[i], low[(i + 1) % 4], high[(i + 1) % 4], high[i], side);
  scene.quad(high[0], high[1], high[2], high[3], top);
}

/// Drives along `frame.along`; its nearside rear corner on the ground is the origin.
void add_car(Scene& scene, const Frame& f, const Paints& paints, Rng& rng) {
  const bool van = rng.chance(0.25f);
  Vec3 colour = vivid_colour(rng);
  const float plain = rng.unit(), shade = rng.range(0.05f, 0.8f);
  if (plain < 0.65f) colour = Vec3{shade, shade, shade * 1.03f};
  const int body = paint(scene, colour);
  const float len = van ? rng.range(4.8f, 6.2f) : rng.range(3.7f, 4.8f), wide = van ? 2.0f : 1.8f;
  const float waist = van ? 1.15f : rng.range(0.8f, 0.95f), top = van ? rng.range(2.1f, 2.7f) : rng.range(1.4f, 1.6f);
  add_box(scene, f, {0, len}, {0, wide}, {0.28f, waist}, body, body);
  if (van) {
    add_box(scene, f, {0, len - 1.3f}, {0, wide}, {waist, top}, body, body);
    frustum(scene, f, {len - 1.4f, len - 0.1f}, {0.02f, wide - 0.02f}, {waist, top}, 0.5f, 0.08f, paints.glass, body);
  } else {
    frustum(scene, f, {len * 0.08f, len * 0.74f}, {0.05f, wide - 0.05f}, {waist, top}, len * 0.11f, 0.16f, paints.glass, body);
  }
  for (const float a : {0.16f, 0.82f}) {
    for (const float b : {0.08f, wide - 0.08f}) scene.balls.push_back({f.at(len * a, b, 0.32f), 0.32f, paints.dark, 0});
  }
  add_box(scene, f, {0.3f, len - 0.3f}, {0.1f, wide - 0.1f}, {0.12f, 0.28f}, paints.dark, paints.dark);
  for (const float b : {0.12f, wide - 0.47f}) {
    add_box(scene, f, {len, len + 0.03f}, {b, b + 0.35f}, {waist - 0.35f, waist - 0.15f}, paints.head_light, paints.head_light);
    add_box(scene, f, {-0.03f, 0}, {b, b + 0.35f}, {waist - 0.35f, waist - 0.12f}, paints.tail_light, paints.tail_light);
  }
}

void add_person(Scene& scene, Vec3 foot, Rng& rng) {
  const SinCos turn = sin_cos_deg(rng.range(0, 360));
  const Frame f = Frame::facing(foot, {turn.cos, turn.sin, 0});
  const int coat = paint(scene, vivid_colour(rng) * 0.7f), legs = paint(scene, Vec3{0.08f, 0.09f, 0.14f});
  const int skin = paint(scene, {0.5f, 0.34f, 0.26f}), hair = paint(scene, {0.1f, 0.07f, 0.05f});
  const float s = rng.range(0.9f, 1.08f), stride = rng.range(0.05f, 0.25f);
  add_box(scene, f, {-0.2f * s, -0.03f}, {-0.1f - stride, 0.1f - stride}, {0, 0.85f * s}, legs, legs);
  add_box(scene, f, {0.03f, 0.2f * s}, {-0.1f + stride, 0.1f + stride}, {0, 0.85f * s}, legs, legs);
  add_box(scene, f, {-0.25f * s, 0.25f * s}, {-0.15f, 0.15f}, {0.75f * s, 1.45f * s}, coat, coat);
  add_box(scene, f, {-0.35f * s, -0.25f * s}, {-0.08f, 0.08f}, {0.8f * s, 1.4f * s}, coat, coat);
  add_box(scene, f, {0.25f * s, 0.35f * s}, {-0.08f, 0.08f}, {0.8f * s, 1.4f * s}, coat, coat);
  scene.balls.push_back({foot + kUp * (1.6f * s), 0.13f * s, skin, 0});
  scene.balls.push_back({foot + kUp * (1.65f * s) + f.inward * 0.03f, 0.125f * s, hair, 0});
}

}  // namespace

void add_traffic(Place& place, const SceneConditions& conditions) {
  Scene& scene = place.scene;
  Rng rng(combine(conditions.traffic_seed, 0x74726166ULL));
  const Paints paints{paint(scene, {0.03f, 0.03f, 0.035f}), paint(scene, {0.05f, 0.06f, 0.08f}),
                      paint(scene, {1.0f, 0.95f, 0.8f}, Surface::kLamp), paint(scene, {0.9f, 0.06f, 0.03f}, Surface::kLamp)};
  const float half = place.road_width / 2;
  const auto too_close = [&](float x, float y, float reach) {
    const float dx = x - place.viewpoint.x, dy = y - place.viewpoint.y;
    return dx * dx + dy * dy < reach * reach;
  };
  for (int i = rng.between(0, 3); i > 0; --i) {  // driving
    const bool oncoming = rng.chance(0.5f);
    const float y = rng.range(5, place.end - 4);
    const float lane = rng.range(0.2f, 0.32f) * place.road_width;
    Rng own(rng.bits());
    const Frame f = oncoming ? Frame::facing({-lane - 0.9f, y, 0}, {0, -1, 0}) : Frame::facing({lane + 0.9f, y, 0}, {0, 1, 0});
    if (!too_close(f.origin.x, y, 9)) add_car(scene, f, paints, own);
  }
  for (const float side : {-1.0f, 1.0f}) {  // parked
    if (!rng.chance(0.4f)) continue;
    float y = rng.range(-4, 6);
    while (y < place.end - 5) {
      Rng own(rng.bits());
      const float x = side * (half - 0.15f);
      const Frame f = side < 0 ? Frame::facing({x, y + 4.5f, 0}, {0, -1, 0}) : Frame::facing({x, y, 0}, {0, 1, 0});
      if (own.chance(0.6f) && !too_close(x - side, y + 2.2f, 8)) add_car(scene, f, paints, own);
      y += 6.2f + rng.range(0, 8);
    }
  }
  for (int i = rng.between(1, 7); i > 0; --i) {
    const bool left = rng.chance(0.5f);
    const float t = rng.range(0.15f, 0.85f), x = left ? mix(place.left_front, -half, t) : mix(half, place.right_front, t);
    const float y = rng.range(2.5f, 24);
    Rng own(rng.bits());
    if (!too_close(x, y, 4)) add_person(scene, {x, y, 0.14f}, own);
  }
}

}  // namespace revisit::town

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Lamp posts, bus stops, benches, and trees in leaf, in autumn and bare.
#include "lab/town/town.h"

namespace revisit::town {

namespace {

/// A tapering stick from foot to tip: two crossed blades.
void stick(Scene& scene, Vec3 foot, Vec3 tip, float thick, float thin, int material) {
  const Vec3 axis = normalised(tip - foot);
  const Vec3 some = magnitude(axis.z) > 0.8f ? Vec3{1, 0, 0} : kUp;
  const Vec3 one = normalised(cross(axis, some)), other = cross(axis, one);
  for (const Vec3 side : {one, other}) {
    scene.quad(foot - side * thick, foot + side * thick, tip + side * thin, tip - side * thin, material).two_sided = true;
  }
}

void branches(Scene& scene, Vec3 foot, Vec3 direction, float reach, float thick, int levels, int material, Rng& rng) {
  const Vec3 tip = foot + direction * reach;
  stick(scene, foot, tip, thick, thick * 0.55f, material);
  if (levels == 0) return;
  const int count = rng.between(2, 4);
  for (int i = 0; i < count; ++i) {
    const float along = rng.range(0.45f, 1), dx = rng.range(-0.8f, 0.8f), dy = rng.range(-0.8f, 0.8f), dz = rng.range(0, 0.5f);
    const float shorter = rng.range(0.45f, 0.75f);
    branches(scene, foot + direction * (reach * along), normalised(direction + Vec3{dx, dy, dz}), reach * shorter, thick * 0.5f,
             levels - 1, material, rng);
  }
}

}  // namespace

void add_lamp_post(Scene& scene, Vec3 foot, float arm_towards_x, int kind, float height) {
  const Frame f = Frame::facing(foot, {1, 0, 0});
  const int post = paint(scene, kind == 1 ? Vec3{0.05f, 0.09f, 0.07f} : Vec3{0.22f, 0.23f, 0.24f});
  Material glow;
  glow.surface = Surface::kLamp;
  glow.colour = kind == 0 ? Vec3{1.0f, 0.72f, 0.38f} : Vec3{1.0f, 0.88f, 0.70f};
  const int lamp = scene.add(glow);
  add_box(scene, f, {-0.07f, 0.07f}, {-0.07f, 0.07f}, {0, height}, post, post);
  add_box(scene, f, {-0.14f, 0.14f}, {-0.14f, 0.14f}, {0, 0.7f}, post, post);
  Vec3 light = foot + kUp * height;
  if (kind == 0) {  // an arm over the road
    const float reach = 1.6f * arm_towards_x;
    add_box(scene, f, {reach < 0 ? reach : 0, reach < 0 ? 0 : reach}, {-0.05f, 0.05f}, {height - 0.1f, height}, post, post);
    add_box(scene, f, {reach - 0.35f, reach + 0.35f}, {-0.15f, 0.15f}, {height - 0.22f, height - 0.1f}, lamp, post);
    light = light + Vec3{reach, 0, -0.3f};
  } else if (kind == 1) {  // a lantern
    add_box(scene, f, {-0.22f, 0.22f}, {-0.22f, 0.22f}, {height, height + 0.55f}, lamp, post);
    add_box(scene, f, {-0.3f, 0.3f}, {-0.3f, 0.3f}, {height + 0.55f, height + 0.68f}, post, post);
  } else {  // a globe
    scene.balls.push_back({foot + kUp * (height + 0.25f), 0.27f, lamp, 0});
  }
  scene.lamps.push_back({light, glow.colour});
}

void add_bus_stop(Scene& scene, const Frame& f, Rng& rng) {
  Material pane;
  pane.surface = Surface::kGlass;
  pane.seed = rng.bits32();
  Material board;
  board.surface = Surface::kSign;
  board.colour = vivid_colour(rng);
  board.second = {0.85f, 0.84f, 0.8f};
  board.seed = rng.bits32();
  const int glass = scene.add(pane), poster = scene.add(board), frame = paint(scene, {0.2f, 0.21f, 0.22f});
  const float w = rng.range(2.6f, 4.4f);
  add_box(scene, f, {0, w}, {0.9f, 1.0f}, {0.3f, 2.3f}, glass, frame);
  add_box(scene, f, {-0.2f, w + 0.2f}, {-0.4f, 1.2f}, {2.35f, 2.5f}, frame, frame);
  add_box(scene, f, {w - 0.1f, w}, {-0.2f, 1}, {0.2f, 2.3f}, poster, frame);
  add_box(scene, f, {w + 0.9f, w + 1.0f}, {0, 0.1f}, {0, 2.9f}, frame, frame);
  add_box(scene, f, {w + 0.7f, w + 1.2f}, {-0.03f, 0.03f}, {2.3f, 2.9f}, poster, poster);
}

void add_bench(Scene& scene, const Frame& f, int material) {
  add_box(scene, f, {0, 1.8f}, {0, 0.5f}, {0.4f, 0.48f}, material, material);
  add_box(scene, f, {0, 1.8f}, {0.45f, 0.52f}, {0.6f, 0.95f}, material, material);
  add_box(scene, f, {0.15f, 0.25f}, {0, 0.5f}, {0, 0.4f}, material, material);
  add_box(scene, f, {1.55f, 1.65f}, {0, 0.5f}, {0, 0.4f}, material, material);
}

void add_tree(Scene& scene, const Tree& tree, SceneConditions::Season season) {
  Rng rng(tree.seed);
  Material bark;
  bark.surface = Surface::kWall;
  bark.pattern = Pattern::kPlaster;
  bark.colour = {0.16f, 0.12f, 0.09f};
  bark.second = bark.colour * 0.6f;
  bark.seed = rng.bits32();
  const int trunk = scene.add(bark);
  const float h = tree.height, lean_x = rng.range(-0.05f, 0.05f), lean_y = rng.range(-0.05f, 0.05f);
  const Vec3 crown_foot = tree.foot + Vec3{lean_x * h, lean_y * h, h * (tree.conifer ? 0.15f : 0.36f)};
  stick(scene, tree.foot, crown_foot, h * 0.028f, h * 0.02f, trunk);

  Material leaves;
  leaves.surface = Surface::kFoliage;
  leaves.seed = rng.bits32();
  const float hue = rng.unit(), tone = rng.range(0.7f, 1.2f);
  if (tree.conifer) {
    leaves.colour = Vec3{0.05f, 0.14f, 0.07f} * tone;
    const int needles = scene.add(leaves);
    constexpr int kTiers = 7;
    for (int i = 0; i < kTiers; ++i) {
      const float t = static_cast<float>(i) / kTiers;
      scene.balls.push_back({crown_foot + kUp * (h * 0.8f * t + h * 0.06f), h * (0.24f - 0.2f * t), needles, 0.5f});
    }
    return;
  }
  Rng shape(tree.seed ^ 0x5eedULL);  // the same limbs in every season
  if (season == SceneConditions::Season::kSnow) {
    const int limbs = shape.between(4, 6);
    for (int i = 0; i < limbs; ++i) {
      const float dx = shape.range(-0.7f, 0.7f), dy = shape.range(-0.7f, 0.7f), reach = shape.range(0.26f, 0.4f) * h;
      branches(scene, crown_foot, normalised({dx, dy, 1}), reach, h * 0.012f, 3, trunk, shape);
    }
    return;
  }
  const bool autumn = season == SceneConditions::Season::kAutumn;
  leaves.colour = autumn ? mix(Vec3{0.62f, 0.36f, 0.05f}, Vec3{0.45f, 0.12f, 0.05f}, hue) * tone
                         : mix(Vec3{0.10f, 0.24f, 0.05f}, Vec3{0.22f, 0.32f, 0.07f}, hue) * tone;
  const int crown = scene.add(leaves);
  const int count = shape.between(7, 11);
  const float wide = shape.range(0.2f, 0.32f) * h;
  for (int i = 0; i < count; ++i) {
    const float dx = shape.range(-1, 1) * wide, dy = shape.range(-1, 1) * wide, dz = shape.range(0.05f, 0.5f) * h;
    const float radius = shape.range(0.1f, 0.19f) * h * (autumn ? 0.85f : 1.0f);
    scene.balls.push_back({crown_foot + Vec3{dx, dy, dz}, radius, crown, autumn ? 0.95f : 0.7f});
  }
}

}  // namespace revisit::town

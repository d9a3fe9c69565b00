// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Roofs of six shapes with eaves, chimneys and dormers.
#include "lab/town/building.h"

namespace revisit::town {

namespace {

struct Plan {
  Scene& scene;
  const Frame& f;
  float w, d, h;
  int wall, roof;
};

/// Two slopes with the ridge along the street.
void gable(const Plan& p, float rise, float eaves) {
  const float e = eaves, m = p.d / 2, low = p.h - rise * e / m, top = p.h + rise;
  p.scene.quad(p.f.at(-e / 2, -e, low), p.f.at(p.w + e / 2, -e, low), p.f.at(p.w + e / 2, m, top), p.f.at(-e / 2, m, top),
               p.roof);
  p.scene.quad(p.f.at(p.w + e / 2, p.d + e, low), p.f.at(-e / 2, p.d + e, low), p.f.at(-e / 2, m, top),
               p.f.at(p.w + e / 2, m, top), p.roof);
  p.scene.triangle(p.f.at(p.w, 0, p.h), p.f.at(p.w, p.d, p.h), p.f.at(p.w, m, top), p.wall);
  p.scene.triangle(p.f.at(0, p.d, p.h), p.f.at(0, 0, p.h), p.f.at(0, m, top), p.wall);
}

/// Ridge at right angles to the street: a triangle, or steps, over the front.
void gable_to_street(const Plan& p, float rise, bool stepped) {
  const float m = p.w / 2, top = p.h + rise;
  p.scene.quad(p.f.at(p.w, 0, p.h), p.f.at(p.w, p.d, p.h), p.f.at(m, p.d, top), p.f.at(m, 0, top), p.roof);
  p.scene.quad(p.f.at(0, p.d, p.h), p.f.at(0, 0, p.h), p.f.at(m, 0, top), p.f.at(m, p.d, top), p.roof);
  p.scene.triangle(p.f.at(0, -0.02f, p.h), p.f.at(p.w, -0.02f, p.h), p.f.at(m, -0.02f, top), p.wall);
  if (!stepped) return;
  constexpr int kSteps = 4;
  for (int i = 0; i < kSteps; ++i) {
    const float inset = m * static_cast<float>(i) / kSteps;
    const float z = rise / kSteps * static_cast<float>(i);
    add_box(p.scene, p.f, {inset, p.w - inset}, {-0.05f, 0.35f}, {p.h + z, p.h + z + rise / kSteps + 0.35f}, p.wall, p.roof);
  }
}

/// Four slopes; `inset` is how far the top lies inside (equal to half the depth: a ridge).
void hip(const Plan& p, float rise, float inset, float eaves) {
  const float e = eaves, top = p.h + rise;
  const float ia = inset < p.w / 2 ? inset : p.w / 2 - 0.05f, ib = inset < p.d / 2 ? inset : p.d / 2 - 0.05f;
  const std::array<Vec3, 4> low{p.f.at(-e, -e, p.h), p.f.at(p.w + e, -e, p.h), p.f.at(p.w + e, p.d + e, p.h),
                                p.f.at(-e, p.d + e, p.h)};
  const std::array<Vec3, 4> high{p.f.at(ia, ib, top), p.f.at(p.w - ia, ib, top), p.f.at(p.w - ia, p.d - ib, top),
                                 p.f.at(ia, p.d - ib, top)};
  for (std::size_t i = 0; i < 4; ++i) p.scene.quad(low[i], low[(i + 1) % 4], high[(i + 1) % 4], high[i], p.roof);
}

void dormers(const Plan& p, float rise, Rng& rng) {
  Material glass;
  glass.surface = Surface::kGlass;
  glass.seed = rng.bits32();
  const int pane = p.scene.add(glass);
  const int count = static_cast<int>(p.w / rng.range(2.6f, 5.0f));
  const float width = rng.range(1.1f, 1.7f), low = p.h + rise * 0.18f, high = p.h + rise * 0.18f + rng.range(1.1f, 1.6f);
  for (int i = 0; i < count; ++i) {
    const float a = p.w * (static_cast<float>(i) + 0.5f) / static_cast<float>(count) - width / 2;
    add_box(p.scene, p.f, {a, a + width}, {0.5f, 2.6f}, {low, high}, p.wall, p.roof);
    p.scene.quad(p.f.at(a + 0.15f, 0.46f, low + 0.2f), p.f.at(a + width - 0.15f, 0.46f, low + 0.2f),
                 p.f.at(a + width - 0.15f, 0.46f, high - 0.15f), p.f.at(a + 0.15f, 0.46f, high - 0.15f), pane);
  }
}

void chimneys(const Plan& p, float top, Rng& rng) {
  for (int i = rng.below(4); i > 0; --i) {
    const float a = rng.range(0, p.w - 0.8f), b = rng.range(0.25f, 0.6f) * p.d;
    const float wide = rng.range(0.5f, 1.2f), over = rng.range(0.3f, 1.4f);
    add_box(p.scene, p.f, {a, a + wide}, {b, b + 0.6f}, {p.h - 0.2f, top + over}, p.wall, p.roof);
  }
}

}  // namespace

void add_roof(Scene& scene, const Frame& frame, float width, float depth, float height, RoofShape shape, int wall_material,
              int roof_material, Rng& rng) {
  const Plan p{scene, frame, width, depth, height, wall_material, roof_material};
  const float slope = rng.range(0.45f, 1.1f);
  float rise = depth / 2 * slope;
  switch (shape) {
    case RoofShape::kFlat: {
      rise = rng.range(0.4f, 1.1f);
      add_box(scene, frame, {-0.15f, width + 0.15f}, {-0.2f, depth + 0.2f}, {height, height + rise}, wall_material,
              roof_material);
      if (rng.chance(0.4f)) {  // a lift house
        const float a = rng.range(0.2f, 0.6f) * width, wide = rng.range(2, 4), high = rng.range(2, 3.5f);
        add_box(scene, frame, {a, a + wide}, {depth * 0.3f, depth * 0.7f}, {height, height + high}, wall_material, roof_material);
      }
      break;
    }
    case RoofShape::kGable:
      gable(p, rise, rng.range(0.2f, 0.7f));
      if (rng.chance(0.5f)) dormers(p, rise, rng);
      break;
    case RoofShape::kGableToStreet:
      rise = width / 2 * slope;
      gable_to_street(p, rise, false);
      break;
    case RoofShape::kStepped:
      rise = width / 2 * slope;
      gable_to_street(p, rise, true);
      break;
    case RoofShape::kHip: hip(p, rise, depth / 2, rng.range(0.3f, 0.8f)); break;
    case RoofShape::kMansard:
      rise = rng.range(2.4f, 3.6f);
      hip(p, rise, rise * 0.35f, 0.25f);
      scene.quad(frame.at(1, 1, height + rise), frame.at(width - 1, 1, height + rise),
                 frame.at(width - 1, depth - 1, height + rise), frame.at(1, depth - 1, height + rise), roof_material);
      dormers(p, rise, rng);
      break;
  }
  chimneys(p, height + rise, rng);
}

}  // namespace revisit::town

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Masonry and its kin. Cells finer than a pixel fade into their mean, so far walls do not shimmer.
#include "lab/town/materials.h"

namespace revisit::town {

namespace {

struct Cells {
  float width, height;
  float joint;   // metres
  float spread;  // of the shades between cells
  bool bond;     // odd rows shifted by half a cell
};

Vec3 masonry(const Cells& c, Vec3 colour, Vec3 joint, std::uint32_t seed, float u, float v, float pixel_m) {
  const int row = floor_int(v / c.height);
  const float shift = c.bond && (row & 1) != 0 ? 0.5f : 0.0f, across = u / c.width + shift;
  const int column = floor_int(across);
  const float detail = clamp01(1.4f - 1.1f * pixel_m / c.height);
  const float shade = 1 + c.spread * detail * (to_unit(hash_cell(column, row, seed)) - 0.5f);
  const float du = (across - static_cast<float>(column)) * c.width, dv = v - static_cast<float>(row) * c.height;
  const float thick = c.joint > pixel_m * 0.7f ? c.joint : pixel_m * 0.7f;
  const bool in_joint = du < thick || dv < thick;
  return in_joint ? mix(colour * shade, joint, detail * c.joint / thick) : colour * shade;
}

Vec3 half_timber(Vec3 plaster, std::uint32_t seed, float u, float v) {
  constexpr float kField = 1.5f, kBeam = 0.2f;
  const int column = floor_int(u / kField), row = floor_int(v / kField);
  const float a = u - static_cast<float>(column) * kField, b = v - static_cast<float>(row) * kField;
  const std::uint32_t kind = hash_cell(column, row, seed) % 5U;
  bool beam = a < kBeam || b < kBeam;
  if (kind == 0) beam = beam || magnitude(a - b) < kBeam * 0.7f;
  if (kind == 1) beam = beam || magnitude(a + b - kField) < kBeam * 0.7f;
  if (kind == 2) beam = beam || magnitude(a - b) < kBeam * 0.6f || magnitude(a + b - kField) < kBeam * 0.6f;
  return beam ? Vec3{0.13f, 0.085f, 0.06f} * (0.8f + 0.4f * noise2(u * 9, v * 9, seed)) : plaster;
}

}  // namespace

Vec3 wall_texture(Pattern pattern, Vec3 colour, Vec3 joint, float scale, std::uint32_t seed, float u, float v, float pixel_m) {
  // Weather marks of about two metres, streaks that run down, and grain.
  const float marks = noise2(u * 0.45f, v * 0.45f, seed ^ 0x51U), streaks = noise2(u * 2.3f, v * 0.25f, seed ^ 0x52U);
  float tone = 0.80f + 0.26f * marks + 0.14f * streaks;
  if (pixel_m < 0.12f) tone += (0.22f - 1.8f * pixel_m) * (noise2(u * 11, v * 11, seed ^ 0x53U) - 0.5f);
  Vec3 base = colour;
  switch (pattern) {
    case Pattern::kBrick:
      base = masonry({0.42f * scale, 0.15f * scale, 0.022f, 0.55f, true}, colour, joint, seed, u, v, pixel_m);
      break;
    case Pattern::kStone:
      base = masonry({0.95f * scale, 0.42f * scale, 0.035f, 0.42f, true}, colour, joint, seed, u, v, pixel_m);
      break;
    case Pattern::kPanel:
      base = masonry({2.8f * scale, 1.45f * scale, 0.05f, 0.2f, false}, colour, joint, seed, u, v, pixel_m);
      break;
    case Pattern::kSiding:
      base = masonry({7.0f * scale, 0.2f * scale, 0.04f, 0.14f, true}, colour, colour * 0.5f, seed, u, v, pixel_m);
      break;
    case Pattern::kTimber: base = half_timber(colour, seed, u, v); break;
    case Pattern::kGlassGrid:
    case Pattern::kPlaster: break;
  }
  return base * tone;
}

}  // namespace revisit::town

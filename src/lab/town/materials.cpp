// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Everything that is not a front: roofs, ground, foliage, boards, glass; and the snow that lies on it.
#include "lab/town/materials.h"

namespace revisit::town {

namespace {

constexpr Vec3 kSnow{0.83f, 0.85f, 0.89f};

/// How much snow lies here, 0..1: none on steep surfaces, patches where it starts.
float snow_cover(const Hit& hit, float thick) {
  if (hit.normal.z < 0.25f) return 0;
  const float patches = noise2(hit.point.x * 0.9f, hit.point.y * 0.9f + hit.point.z, 4242);
  return smooth_step(0.30f, 0.50f, thick * hit.normal.z + 0.45f * (patches - 0.5f));
}

Vec3 roof(const Material& m, const Hit& hit) {
  const float h = 0.30f * m.scale, w = 0.24f * m.scale;
  const int row = floor_int(hit.v / h);
  const float along = hit.u / w + ((row & 1) != 0 ? 0.5f : 0.0f);
  const float detail = clamp01(1.5f - hit.pixel_m / h);
  const float shade = 0.85f + 0.3f * noise2(hit.u * 0.5f, hit.v * 0.5f, m.seed);
  const float cell = 1 + detail * (0.4f * (to_unit(hash_cell(floor_int(along), row, m.seed)) - 0.5f) -
                                   (fraction(hit.v / h) < 0.22f ? 0.4f : 0.0f));
  return m.colour * (shade * cell);
}

/// Lane marks, crossing, tyre tracks. v runs along the street, u across it from the left kerb.
Look road(const Material& m, const Hit& hit, const Air& air) {
  Look look;
  const float x = hit.point.x, y = hit.point.y;
  float tone = 0.82f + 0.36f * clouds2(x * 0.6f, y * 0.35f, m.seed);
  if (hit.pixel_m < 0.2f)
    tone += (0.3f - 1.5f * hit.pixel_m) * (to_unit(hash_cell(floor_int(x * 22), floor_int(y * 22), m.seed)) - 0.5f);
  look.albedo =
      m.pattern == Pattern::kStone
          ? wall_texture(Pattern::kStone, m.colour, m.colour * 0.45f, 0.42f * m.scale, m.seed, x, y, hit.pixel_m) * (tone * 1.1f)
          : m.colour * tone;
  const float middle = hit.u - m.width / 2;
  if (m.width > 0) {
    const bool crossing = m.crossing > 0 && hit.v > m.crossing && hit.v < m.crossing + 3;
    bool paint = false;
    if (crossing) {
      paint = fraction(hit.u / 1.0f) < 0.5f;
    } else if (m.pattern != Pattern::kStone) {
      paint = (m.width > 7 && magnitude(middle) < 0.075f && fraction(hit.v / 6) < 0.5f) ||
              magnitude(magnitude(middle) - m.width / 2 + 0.35f) < 0.06f;
    }
    if (paint && noise2(x * 6, y * 6, m.seed ^ 3U) > 0.22f) look.albedo = {0.62f, 0.62f, 0.58f};
  }
  if (air.snow) {
    const float wheel = m.width > 0 ? magnitude(magnitude(magnitude(middle) - m.width * 0.24f) - 0.75f) : 1.0f;
    const float cover = (0.25f + 0.75f * smooth_step(0.1f, 0.55f, wheel)) *
                        smooth_step(0.3f, 0.6f, 0.2f + 0.6f * noise2(x * 0.7f, y * 0.4f, air.seed));
    look.albedo = mix(look.albedo, kSnow * 0.92f, cover);
  } else if (air.autumn &&
             to_unit(hash_cell(floor_int(x * 7), floor_int(y * 7), air.seed)) < 0.10f * noise2(x * 0.4f, y * 0.4f, 99) * 2) {
    look.albedo = {0.42f, 0.22f, 0.05f};
  }
  return look;
}

Look paving(const Material& m, const Hit& hit, const Air& air) {
  Look look;
  const float x = hit.point.x, y = hit.point.y;
  look.albedo = wall_texture(m.scale > 1 ? Pattern::kStone : Pattern::kPanel, m.colour, m.second,
                             m.scale > 1 ? m.scale * 0.7f : m.scale * 0.5f, m.seed, x, y, hit.pixel_m);
  if (air.snow) {
    look.albedo = mix(look.albedo, kSnow,
                      0.9f * smooth_step(0.3f, 0.55f, noise2(x * 0.5f, y * 0.5f, m.seed) + 0.16f * noise2(x * 5, y * 5, 1)));
  } else if (air.autumn &&
             to_unit(hash_cell(floor_int(x * 8), floor_int(y * 8), m.seed)) < 0.28f * noise2(x * 0.5f, y * 0.5f, 98)) {
    look.albedo =
        mix(Vec3{0.5f, 0.28f, 0.06f}, Vec3{0.38f, 0.13f, 0.05f}, to_unit(hash_cell(floor_int(x * 8), floor_int(y * 8), 7)));
  }
  return look;
}

Look grass(const Material& m, const Hit& hit, const Air& air) {
  Look look;
  const float x = hit.point.x, y = hit.point.y;
  const float blades = hit.pixel_m < 0.15f ? to_unit(hash_cell(floor_int(x * 17), floor_int(y * 9), m.seed)) : 0.5f;
  const Vec3 base = air.autumn ? Vec3{0.28f, 0.26f, 0.09f} : m.colour;
  look.albedo = base * (0.5f + 0.5f * clouds2(x * 0.7f, y * 0.7f, m.seed) + 0.5f * blades);
  if (air.snow) look.albedo = mix(look.albedo, kSnow, smooth_step(0.1f, 0.35f, noise2(x * 0.4f, y * 0.4f, m.seed)));
  return look;
}

/// Stripes, rings, checks and peaks: what posters and murals show.
bool picture(const Material& m, float u, float v) {
  const float a = u / m.scale, b = v / m.scale, x = fraction(a) - 0.5f, y = fraction(b) - 0.5f;
  switch (m.seed % 7U) {
    case 0: return fraction(a + b) < 0.5f;
    case 1: return x * x + y * y < 0.13f;
    case 2: return ((floor_int(a) + floor_int(b)) & 1) != 0;
    case 3: return y + 0.5f < 1 - 2 * magnitude(x);
    case 4: return x * x + y * y < 0.2f && x * x + y * y > 0.07f;
    case 5: return magnitude(x) < 0.14f || magnitude(y) < 0.14f;
    default: return to_unit(hash_cell(floor_int(a * 3), floor_int(b * 3), m.seed)) < 0.5f;
  }
}

/// Letters as blocks of strokes; every board has its own word.
Look sign(const Material& m, const Hit& hit, const Air& air) {
  Look look;
  look.albedo = m.colour;
  bool ink = false;
  if (m.pattern == Pattern::kSiding) {
    ink = fraction(hit.u / 0.5f) < 0.5f;
  } else if (m.pattern == Pattern::kGlassGrid) {
    ink = picture(m, hit.u, hit.v);
  } else if (m.pattern == Pattern::kPanel) {  // a clock face
    const float x = hit.u / m.width - 0.5f, y = hit.v / m.width - 0.5f, r2 = x * x + y * y;
    ink = (r2 > 0.19f && r2 < 0.235f) || (r2 > 0.12f && r2 < 0.16f && (magnitude(x) < 0.03f || magnitude(y) < 0.03f)) ||
          (magnitude(x) < 0.02f && y > 0 && y < 0.3f) || (magnitude(y) < 0.025f && x > 0 && x < 0.2f);
  } else {
    const float size = 0.34f * m.scale;
    const int letter = floor_int(hit.u / (size * 0.9f)), line = floor_int(hit.v / (size * 1.6f));
    const float a = fraction(hit.u / (size * 0.9f)) * 4, b = fraction(hit.v / (size * 1.6f)) * 6 - 0.6f;
    const std::uint32_t glyph = hash_cell(letter, line, m.seed);
    if (a < 3 && b >= 0 && b < 5 && (glyph & 7U) != 0)
      ink = ((glyph >> (8 + floor_int(a) + 3 * floor_int(b))) & 1U) != 0 || floor_int(a) == 0;
  }
  if (ink) look.albedo = m.second;
  if (air.darkness > 0.25f && (m.seed & 3U) == 1U) look.glow = look.albedo * (0.4f * air.darkness);
  return look;
}

Look foliage(const Material& m, const Hit& hit, const Air& air) {
  Look look;
  const Vec3 p = hit.point;
  const float leaf = to_unit(hash_cell(floor_int(p.x * 8) + 613 * floor_int(p.y * 8), floor_int(p.z * 8), m.seed));
  const float clump = noise2(p.x * 2.2f + p.y, p.z * 2.2f - p.y, m.seed ^ 5U);
  look.albedo = m.colour * (0.35f + 0.75f * leaf + 0.7f * clump);
  if (air.autumn && leaf > 0.85f) look.albedo = Vec3{0.55f, 0.42f, 0.08f};
  if (air.snow) look.albedo = mix(look.albedo, kSnow, 0.85f * smooth_step(0.25f, 0.5f, hit.normal.z + 0.35f * (clump - 0.5f)));
  return look;
}

}  // namespace

bool is_solid(const Material& m, float u, float v) {
  if (m.surface != Surface::kRailing) return true;
  return fraction(u / 0.16f) < 0.3f || fraction((v - 0.02f) / 0.88f) < 0.09f;
}

Look look_of(const Scene& scene, const Material& m, const Hit& hit, const Air& air) {
  Look look;
  switch (m.surface) {
    case Surface::kFacade: return facade_look(scene.facades[static_cast<std::size_t>(m.facade)], hit, air);
    case Surface::kRoad: return road(m, hit, air);
    case Surface::kPaving: return paving(m, hit, air);
    case Surface::kGrass: return grass(m, hit, air);
    case Surface::kSign: look = sign(m, hit, air); break;
    case Surface::kFoliage: return foliage(m, hit, air);
    case Surface::kWall:
      look.albedo = wall_texture(m.pattern, m.colour, m.second, m.scale, m.seed, hit.u, hit.v, hit.pixel_m);
      break;
    case Surface::kRoof: look.albedo = roof(m, hit); break;
    case Surface::kHill: {
      const float woods = clouds2(hit.u * 0.08f, hit.v * 0.14f, m.seed);
      look.albedo = (air.snow     ? Vec3{0.62f, 0.65f, 0.7f}
                     : air.autumn ? Vec3{0.3f, 0.19f, 0.08f}
                                  : m.colour) *
                    (0.55f + 0.9f * woods);
      return look;
    }
    case Surface::kGlass:
      look.albedo = {0.04f, 0.05f, 0.06f};
      look.mirror = 0.4f;
      break;
    case Surface::kWater:
      look.albedo = air.snow ? kSnow * 0.7f : m.colour;
      look.mirror = air.snow ? 0.1f : 0.5f;
      break;
    case Surface::kLamp:
      look.albedo = m.colour * 0.6f;
      look.glow = m.colour * (1.6f * air.darkness);
      return look;
    case Surface::kRailing:
    case Surface::kPaint:
      look.albedo = m.colour * (0.9f + 0.2f * noise2(hit.u * 3, hit.v * 3, 17));
      look.mirror = 0.04f;
      break;
  }
  if (air.snow) {
    const float cover = snow_cover(hit, 0.55f);
    look.albedo = mix(look.albedo, kSnow, cover);
    look.mirror *= 1 - cover;
  }
  return look;
}

}  // namespace revisit::town

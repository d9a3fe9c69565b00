// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Light on surfaces: sky and ground, sun with cast shadows, street lamps, haze.
#include <algorithm>
#include <optional>

#include "lab/town/materials.h"
#include "lab/town/render.h"

namespace revisit::town {

namespace {

constexpr std::size_t kLampsUsed = 6;

std::vector<Lamp> nearest_lamps(const Scene& scene, const View& view) {
  std::vector<Lamp> lamps = scene.lamps;
  const Vec3 ahead = view.eye + view.forward * 10;
  const auto away = [&](const Lamp& l) { return dot(l.position - ahead, l.position - ahead); };
  std::stable_sort(lamps.begin(), lamps.end(), [&](const Lamp& a, const Lamp& b) { return away(a) < away(b); });
  if (lamps.size() > kLampsUsed) lamps.resize(kLampsUsed);
  return lamps;
}

Vec3 lamp_light(const std::vector<Lamp>& lamps, Vec3 point, Vec3 normal) {
  Vec3 sum;
  for (const Lamp& lamp : lamps) {
    const Vec3 way = lamp.position - point;
    const float d2 = dot(way, way);
    if (d2 > 900) continue;
    const float facing = dot(way, normal) / std::sqrt(d2);
    const float wrapped = facing * 0.7f + 0.3f;
    if (wrapped > 0) sum = sum + lamp.colour * (wrapped * 3.4f / (6 + d2));
  }
  return sum;
}

/// Fills what the materials need to know about pixel ray `ray` meeting face or ball `id`.
const Material& meet(const Scene& scene, std::int32_t id, Vec3 ray, Hit& hit) {
  const auto faces = static_cast<std::int32_t>(scene.faces.size());
  if (id < faces) {
    const Face& face = scene.faces[static_cast<std::size_t>(id)];
    const Vec3 d = hit.point - face.corners[0];
    hit.u = dot(d, face.u);
    hit.v = dot(d, face.v);
    hit.ray_u = dot(ray, face.u);
    hit.ray_v = dot(ray, face.v);
    hit.ray_n = -dot(ray, face.normal);
    hit.normal = hit.ray_n < 0 ? -face.normal : face.normal;
    hit.ray_n = magnitude(hit.ray_n);
    return scene.materials[static_cast<std::size_t>(face.material)];
  }
  const Ball& ball = scene.balls[static_cast<std::size_t>(id - faces)];
  hit.normal = (hit.point - ball.centre) * (1 / ball.radius);
  hit.u = hit.point.x + hit.point.y;
  hit.v = hit.point.z;
  hit.ray_n = -dot(ray, hit.normal);
  return scene.materials[static_cast<std::size_t>(ball.material)];
}

}  // namespace

std::vector<Vec3> shade(const Scene& scene, const View& view, const Visible& visible, const Air& air) {
  std::vector<Vec3> out(visible.id.size());
  const bool sunny = air.sun.x > 0;
  std::optional<ShadowMap> shadows;
  if (sunny) shadows.emplace(scene, air.to_sun, view.eye + view.forward * 28);
  const std::vector<Lamp> lamps = air.darkness > 0.2f ? nearest_lamps(scene, view) : std::vector<Lamp>{};
  for (int y = 0; y < view.height; ++y) {
    for (int x = 0; x < view.width; ++x) {
      const auto at = static_cast<std::size_t>(y) * static_cast<std::size_t>(view.width) + static_cast<std::size_t>(x);
      const Vec3 ray = view.ray(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
      if (visible.id[at] == kSky) {
        out[at] = sky_colour(air, ray);
        if (air.haze_per_m > 0.004f) {
          out[at] = mix(out[at], air.haze, clamp01(1 - 1.6f * ray.z) * clamp01(air.haze_per_m * 60));
        }
        continue;
      }
      const float depth = 1 / visible.inverse_depth[at];
      Hit hit;
      hit.point = view.eye + ray * depth;
      hit.pixel_m = depth / view.focal_px;
      const Material& material = meet(scene, visible.id[at], ray, hit);
      // Seen at a glancing angle a pixel covers more of the surface.
      hit.pixel_m *= hit.ray_n > 0.25f ? 1 : 0.25f / (hit.ray_n + 0.02f);
      const Look look = look_of(scene, material, hit, air);
      Vec3 light =
          mix(air.from_ground, air.from_sky, 0.5f + 0.5f * hit.normal.z) * (0.75f + 0.25f * clamp01(hit.point.z * 0.12f));
      if (sunny) {
        const float facing = dot(hit.normal, air.to_sun);
        if (facing > 0) light = light + air.sun * (facing * shadows->light_at(hit.point, hit.normal));
      }
      if (!lamps.empty()) light = light + lamp_light(lamps, hit.point, hit.normal) * (0.4f * air.darkness);
      Vec3 colour = look.albedo * light + look.glow;
      if (look.mirror > 0) {
        const Vec3 bounced = ray + hit.normal * (2 * magnitude(dot(ray, hit.normal)));
        const Vec3 seen = bounced.z > 0 ? mix(air.horizon, air.zenith, clamp01(bounced.z)) : air.from_ground;
        colour = colour + seen * (look.mirror * (0.55f + 0.75f * noise2(hit.u * 0.8f, hit.v * 0.7f, 31)));
      }
      const float clear = decay(air.haze_per_m * depth);
      out[at] = mix(air.haze, colour, clear);
    }
  }
  return out;
}

}  // namespace revisit::town

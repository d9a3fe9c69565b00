// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How the camera turns light into a picture.
#include <algorithm>

#include "lab/town/render.h"

namespace revisit::town {

namespace {

/// A wet street mirrors what stands above the horizon, blurred along the column.
void wet_ground(const Scene& scene, const View& view, const Visible& visible, const Air& air, std::vector<Vec3>& radiance) {
  const auto faces = static_cast<std::int32_t>(scene.faces.size());
  const auto width = static_cast<std::size_t>(view.width);
  for (int y = view.height - 1; y > static_cast<int>(view.horizon_y) + 1; --y) {
    for (int x = 0; x < view.width; ++x) {
      const std::size_t at = static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x);
      const std::int32_t id = visible.id[at];
      if (id == kSky || id >= faces) continue;
      const Face& face = scene.faces[static_cast<std::size_t>(id)];
      const Surface surface = scene.materials[static_cast<std::size_t>(face.material)].surface;
      if (face.normal.z < 0.9f || (surface != Surface::kRoad && surface != Surface::kPaving)) continue;
      const Vec3 ray = view.ray(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
      const Vec3 p = view.eye + ray * (1 / visible.inverse_depth[at]);
      const float ripple = noise2(p.x * 7, p.y * 3, air.seed) - 0.5f,
                  puddle = smooth_step(0.35f, 0.6f, noise2(p.x * 0.5f, p.y * 0.35f, 808));
      const int mirrored = static_cast<int>(2 * view.horizon_y - static_cast<float>(y) + ripple * 14);
      const int row = std::clamp(mirrored, 0, std::max(0, static_cast<int>(view.horizon_y) - 1));
      const float glancing = 1 - clamp01(-ray.z * 1.2f);
      radiance[at] = mix(radiance[at] * 0.7f, radiance[static_cast<std::size_t>(row) * width + static_cast<std::size_t>(x)],
                         (0.10f + 0.32f * puddle) * (0.35f + 0.65f * glancing));
    }
  }
}

/// Pixels on the outline of a face take on some of their neighbours: stairs become slopes.
std::vector<Vec3> soften(const View& view, const Visible& visible, const std::vector<Vec3>& in) {
  std::vector<Vec3> out = in;
  const auto width = static_cast<std::size_t>(view.width);
  for (int y = 1; y + 1 < view.height; ++y) {
    for (int x = 1; x + 1 < view.width; ++x) {
      const std::size_t at = static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x);
      const std::int32_t id = visible.id[at];
      const bool edge =
          id != visible.id[at - 1] || id != visible.id[at + 1] || id != visible.id[at - width] || id != visible.id[at + width];
      const float centre = edge ? 0.5f : 0.8f;
      out[at] = in[at] * centre + (in[at - 1] + in[at + 1] + in[at - width] + in[at + width]) * ((1 - centre) / 4);
    }
  }
  return out;
}

/// Streaks of rain or flakes of snow between camera and street.
void falling(const View& view, const Air& air, bool flakes, std::vector<Vec3>& radiance) {
  Rng rng(combine(air.seed, flakes ? 2 : 1));
  const Vec3 tint = air.haze * (flakes ? 1.6f : 1.3f) + Vec3{0.01f, 0.01f, 0.01f};
  const int count = view.width * view.height / (flakes ? 900 : 420);
  const float slant = rng.range(-0.25f, 0.25f);
  for (int i = 0; i < count; ++i) {
    const float near = rng.unit(), x0 = rng.unit() * static_cast<float>(view.width),
                y0 = rng.unit() * static_cast<float>(view.height);
    const float unit = static_cast<float>(view.height) / 360;
    const int length =
        flakes ? 1 + static_cast<int>(near * near * near * 2 * unit) : 3 + static_cast<int>(near * near * 16 * unit);
    const int thick = flakes ? length : 1;
    const float strength = flakes ? 0.45f : 0.06f + 0.10f * near;
    for (int k = 0; k < length; ++k) {
      for (int t = 0; t < thick; ++t) {
        const int x = static_cast<int>(x0 + (flakes ? static_cast<float>(t) : slant * static_cast<float>(k))),
                  y = static_cast<int>(y0) + k;
        if (x < 0 || x >= view.width || y >= view.height) continue;
        Vec3& c = radiance[static_cast<std::size_t>(y) * static_cast<std::size_t>(view.width) + static_cast<std::size_t>(x)];
        c = mix(c, tint, strength);
      }
    }
  }
}

/// The film: a soft shoulder, then the square root as display gamma.
float tone(float linear, float contrast) {
  const float shown = std::sqrt(clamp01(linear * 1.18f / (1 + 0.18f * linear * linear + 0.12f * linear)));
  return clamp01(0.5f + (shown - 0.5f) * contrast);
}

}  // namespace

Image develop(const Scene& scene, const View& view, const Visible& visible, const Air& air, std::vector<Vec3> radiance) {
  if (air.rain && !air.snow) wet_ground(scene, view, visible, air, radiance);
  radiance = soften(view, visible, radiance);
  if (air.rain) falling(view, air, air.snow, radiance);
  Image image;
  image.width = view.width;
  image.height = view.height;
  image.rgb.resize(radiance.size() * 3);
  const Vec3 gain = air.balance * air.exposure;
  const float half_w = static_cast<float>(view.width) / 2, half_h = static_cast<float>(view.height) / 2;
  std::size_t at = 0;
  for (int y = 0; y < view.height; ++y) {
    for (int x = 0; x < view.width; ++x, ++at) {
      const float dx = (static_cast<float>(x) - half_w) / half_w, dy = (static_cast<float>(y) - half_h) / half_h;
      const Vec3 c = radiance[at] * gain * (1 - 0.14f * (dx * dx + dy * dy));
      const std::uint32_t h = hash_cell(x, y, air.seed);
      const float grain = air.grain * (to_unit(h) + to_unit(h * 0x9e3779b1U) - 1);
      const auto byte = [&](float v) {
        return static_cast<std::uint8_t>(floor_int(clamp01(tone(v, air.contrast) + grain) * 255.0f + 0.5f));
      };
      image.rgb[3 * at] = byte(c.x);
      image.rgb[3 * at + 1] = byte(c.y);
      image.rgb[3 * at + 2] = byte(c.z);
    }
  }
  return image;
}

}  // namespace revisit::town

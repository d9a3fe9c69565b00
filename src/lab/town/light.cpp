// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// From conditions to light. Colours are linear radiance; about 1 is white paper in the sun before exposure.
#include "lab/town/light.h"

namespace revisit::town {

namespace {

using Light = SceneConditions::Light;
using Season = SceneConditions::Season;
using Weather = SceneConditions::Weather;

void set_day(Air& air, Rng& rng) {
  air.sun = Vec3{1.0f, 0.94f, 0.82f} * rng.range(0.75f, 1.05f);
  air.zenith = {0.16f, 0.33f, 0.72f};
  air.horizon = {0.62f, 0.74f, 0.88f};
  air.from_sky = {0.34f, 0.40f, 0.50f};
  air.from_ground = {0.20f, 0.19f, 0.17f};
}

void set_dusk(Air& air, Rng& rng) {
  const float redness = rng.unit();
  air.darkness = rng.range(0.3f, 0.6f);
  air.sun = mix(Vec3{0.75f, 0.36f, 0.14f}, Vec3{0.55f, 0.30f, 0.26f}, redness) * rng.range(0.5f, 0.9f);
  air.zenith = mix(Vec3{0.12f, 0.16f, 0.36f}, Vec3{0.22f, 0.17f, 0.38f}, redness);
  air.horizon = mix(Vec3{0.86f, 0.50f, 0.24f}, Vec3{0.72f, 0.38f, 0.40f}, redness);
  air.from_sky = {0.22f, 0.21f, 0.29f};
  air.from_ground = {0.12f, 0.09f, 0.08f};
}

void set_night(Air& air, Rng& rng) {
  air.darkness = 1;
  const float glow = rng.range(0.6f, 1.3f);  // of the town on the sky
  air.zenith = Vec3{0.010f, 0.014f, 0.034f} * glow;
  air.horizon = Vec3{0.060f, 0.046f, 0.042f} * glow;
  air.from_sky = Vec3{0.090f, 0.090f, 0.115f} * glow;
  air.from_ground = Vec3{0.062f, 0.052f, 0.044f} * glow;
}

/// Clouds, fog and rain take the sun away and make the light even.
void set_weather(Air& air, Weather weather, Rng& rng) {
  const float grey = (air.horizon.x + air.horizon.y + air.horizon.z) / 3;
  const Vec3 even = Vec3{0.96f, 0.99f, 1.05f} * grey;
  const auto cover = [&](float share, float brightness) {
    air.zenith = mix(air.zenith, even * brightness, share);
    air.horizon = mix(air.horizon, even * brightness, share);
    air.from_sky = mix(air.from_sky, Vec3{1, 1, 1.03f} * (air.from_sky.y * 1.35f), share);
  };
  air.haze_per_m = 0.0012f;
  switch (weather) {
    case Weather::kClear: air.cloud = rng.range(0.05f, 0.45f); break;
    case Weather::kOvercast:
      cover(0.85f, rng.range(0.7f, 1.05f));
      air.sun = {0, 0, 0};
      air.cloud = 0.95f;
      air.haze_per_m = 0.003f;
      break;
    case Weather::kFog:
      cover(0.95f, rng.range(0.75f, 1));
      air.sun = {0, 0, 0};
      air.cloud = 0;
      air.haze_per_m = rng.range(0.010f, 0.021f);
      break;
    case Weather::kRain:
      cover(0.9f, rng.range(0.6f, 0.9f));
      air.sun = {0, 0, 0};
      air.from_sky = air.from_sky * 0.9f;
      air.cloud = 1;
      air.rain = true;
      air.haze_per_m = rng.range(0.003f, 0.008f);
      break;
  }
  air.haze = mix(air.horizon, air.from_sky, 0.35f);
}

}  // namespace

Air make_air(const SceneConditions& conditions) {
  Rng rng(combine(conditions.traffic_seed, 0x616972ULL));
  Air air;
  air.seed = rng.bits32();
  air.snow = conditions.season == Season::kSnow;
  air.autumn = conditions.season == Season::kAutumn;
  const SinCos azimuth = sin_cos_deg(rng.range(0, 360));
  const SinCos height = sin_cos_deg(conditions.light == Light::kDay ? rng.range(25, 60) : rng.range(7, 16));
  air.to_sun = {azimuth.sin * height.cos, azimuth.cos * height.cos, height.sin};
  switch (conditions.light) {
    case Light::kDay: set_day(air, rng); break;
    case Light::kDusk: set_dusk(air, rng); break;
    case Light::kNight: set_night(air, rng); break;
  }
  if (air.snow) {
    air.from_ground = air.from_ground * 2.0f + air.from_sky * 0.3f;
  } else if (air.autumn) {
    air.sun = air.sun * Vec3{1.0f, 0.92f, 0.78f};
  }
  set_weather(air, conditions.weather, rng);
  // The camera's automatic exposure follows the light, never quite.
  const float fog = clamp01(air.haze_per_m * 30);
  const float level =
      mix(air.from_sky.y + 0.55f * air.sun.y, air.haze.y * 1.25f, fog * 0.8f) + (air.darkness > 0.9f ? 0.07f : 0.0f);
  air.exposure = 0.62f / level * rng.range(0.8f, 1.22f);
  air.contrast = rng.range(0.9f, 1.15f);
  const float warm = rng.range(-0.1f, 0.1f), tint = rng.range(-0.04f, 0.04f);
  air.balance = {1 + warm, 1 + tint, 1 - warm};
  air.grain = air.darkness > 0.9f ? rng.range(0.008f, 0.024f) : rng.range(0.003f, 0.012f);
  return air;
}

Vec3 sky_colour(const Air& air, Vec3 ray) {
  const float lengthwise = std::sqrt(dot(ray, ray)), up = ray.z / lengthwise;
  const float rise = up < 0 ? 0 : up;
  Vec3 colour = mix(air.horizon, air.zenith, clamp01(1.9f * rise / (0.35f + rise)));
  const float towards_sun = dot(ray, air.to_sun) / lengthwise;
  if (towards_sun > 0.6f) {
    const float glow = (towards_sun - 0.6f) * 2.5f, g2 = glow * glow, g8 = g2 * g2 * g2 * g2;
    colour = colour + air.sun * (0.25f * g2 * glow + 0.9f * g8 * g8 * g8);
  }
  if (air.cloud > 0 && rise > 0.01f) {
    const float far = 1 / (rise + 0.12f), x = ray.x / lengthwise * far, y = ray.y / lengthwise * far;
    const float n = clouds2(x * 1.1f, y * 1.1f, air.seed);
    const float edge = 1.05f - air.cloud * 0.95f;
    const float body = smooth_step(edge - 0.18f, edge + 0.2f, n);
    const float mean = (air.horizon.x + air.horizon.y + air.horizon.z) / 3;
    const Vec3 lit = (air.sun * 0.5f + Vec3{1, 1, 1} * (mean * 1.1f)) * (1.15f - 0.55f * n);
    colour = mix(colour, lit, body * (air.sun.x > 0 ? 0.85f : 0.5f));
  }
  if (air.darkness > 0.9f && air.cloud < 0.5f && rise > 0.05f) {  // stars
    const Vec3 unit = ray * (160 / lengthwise);
    const std::uint32_t h = hash_cell(floor_int(unit.x), floor_int(unit.y) + 977 * floor_int(unit.z), air.seed);
    if ((h & 1023U) < 3U) colour = colour + Vec3{0.2f, 0.2f, 0.22f} * to_unit(h);
  }
  return colour;
}

}  // namespace revisit::town

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Vectors, sine and cosine, and value noise from + - * / and sqrt only, which every machine rounds alike (libm does not).
// Axes everywhere: x to the right of the street, y along it, z up; metres.
#pragma once

#include <cmath>
#include <cstdint>

#include "lab/town/random.h"

namespace revisit::town {

struct Vec3 {
  float x = 0, y = 0, z = 0;
};

constexpr Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
constexpr Vec3 operator*(Vec3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
constexpr Vec3 operator*(Vec3 a, Vec3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
constexpr Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
constexpr float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr Vec3 cross(Vec3 a, Vec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline float length(Vec3 a) { return std::sqrt(dot(a, a)); }
inline Vec3 normalised(Vec3 a) { return a * (1.0f / length(a)); }

inline constexpr Vec3 kUp{0, 0, 1};

constexpr float clamp01(float v) { return v < 0 ? 0 : (v > 1 ? 1 : v); }
constexpr float mix(float a, float b, float t) { return a + (b - a) * t; }
constexpr Vec3 mix(Vec3 a, Vec3 b, float t) { return a + (b - a) * t; }
/// 0 below low, 1 above high, smooth between.
constexpr float smooth_step(float low, float high, float v) {
  const float t = clamp01((v - low) / (high - low));
  return t * t * (3 - 2 * t);
}
constexpr float magnitude(float v) { return v < 0 ? -v : v; }
/// Floor to an integer; faster than std::floor without SSE4.
constexpr std::int32_t floor_int(float v) {
  const auto i = static_cast<std::int32_t>(v);
  return i - (static_cast<float>(i) > v ? 1 : 0);
}
constexpr float fraction(float v) { return v - static_cast<float>(floor_int(v)); }

/// exp(-v) for v >= 0 to about 2 %: enough for haze.
constexpr float decay(float v) {
  const float p = 1 + v * (0.25f + v * (0.03125f + v * 0.0026f));
  return 1 / (p * p * p * p);
}

struct SinCos {
  float sin, cos;
};

constexpr SinCos sin_cos_deg(double degrees) {
  const double turns = degrees / 90.0;
  auto quadrant = static_cast<std::int64_t>(turns + (turns < 0 ? -0.5 : 0.5));
  const double x = (turns - static_cast<double>(quadrant)) * 1.57079632679489661923;
  const double xx = x * x;
  const double s = x * (1 - xx / 6 * (1 - xx / 20 * (1 - xx / 42 * (1 - xx / 72 * (1 - xx / 110)))));
  const double c = 1 - xx / 2 * (1 - xx / 12 * (1 - xx / 30 * (1 - xx / 56 * (1 - xx / 90))));
  quadrant &= 3;
  const double sine = quadrant == 0 ? s : quadrant == 1 ? c : quadrant == 2 ? -s : -c;
  const double cosine = quadrant == 0 ? c : quadrant == 1 ? -s : quadrant == 2 ? -c : s;
  return {static_cast<float>(sine), static_cast<float>(cosine)};
}

/// Smooth noise in [0, 1) with one random value per unit cell.
constexpr float noise2(float x, float y, std::uint32_t seed) {
  const std::int32_t ix = floor_int(x), iy = floor_int(y);
  float fx = x - static_cast<float>(ix), fy = y - static_cast<float>(iy);
  fx = fx * fx * (3 - 2 * fx);
  fy = fy * fy * (3 - 2 * fy);
  const float top = mix(to_unit(hash_cell(ix, iy, seed)), to_unit(hash_cell(ix + 1, iy, seed)), fx);
  const float bottom = mix(to_unit(hash_cell(ix, iy + 1, seed)), to_unit(hash_cell(ix + 1, iy + 1, seed)), fx);
  return mix(top, bottom, fy);
}

/// Three octaves of noise2, in [0, 1).
constexpr float clouds2(float x, float y, std::uint32_t seed) {
  return 0.55f * noise2(x, y, seed) + 0.28f * noise2(x * 2.1f + 7, y * 2.1f, seed + 1) +
         0.17f * noise2(x * 4.3f, y * 4.3f + 3, seed + 2);
}

}  // namespace revisit::town

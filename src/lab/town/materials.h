// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Textures by rule: what colour a point of a surface has before light falls on it.
#pragma once

#include "lab/town/light.h"
#include "lab/town/scene.h"

namespace revisit::town {

/// A point of a surface as the camera meets it.
struct Hit {
  Vec3 point, normal;
  float u = 0, v = 0;                     ///< metres from the face's first corner
  float ray_u = 0, ray_v = 0, ray_n = 1;  ///< the ray in the face's axes; ray_n > 0 goes into the surface
  float pixel_m = 0.01f;                  ///< size of a pixel there: finer detail is left out
};

struct Look {
  Vec3 albedo;
  Vec3 glow;         ///< light of its own
  float mirror = 0;  ///< share of the reflected sky
};

Look look_of(const Scene& scene, const Material& material, const Hit& hit, const Air& air);
Look facade_look(const Facade& facade, const Hit& hit, const Air& air);

/// Bricks, blocks, panels ...; u and v in metres.
Vec3 wall_texture(Pattern pattern, Vec3 colour, Vec3 joint, float scale, std::uint32_t seed, float u, float v, float pixel_m);

/// Whether a railing has a bar at (u, v).
bool is_solid(const Material& material, float u, float v);

}  // namespace revisit::town

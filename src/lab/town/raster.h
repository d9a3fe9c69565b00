// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Which face or ball is seen at each pixel, and how far away: a z-buffer over exact planes and spheres. No colours here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/town/scene.h"

namespace revisit::town {

/// Looks along `forward` with the picture plane upright; (centre_x, horizon_y) is the pixel of the forward direction.
struct View {
  Vec3 eye, right, forward, up;
  float focal_px = 300, centre_x = 0, horizon_y = 0;
  int width = 0, height = 0;

  /// Not unit length: its component along `forward` is 1, so a depth times it is the way from the eye.
  Vec3 ray(float x, float y) const { return forward + right * ((x - centre_x) / focal_px) + up * ((horizon_y - y) / focal_px); }
};

inline constexpr std::int32_t kSky = -1;

/// Where pixel (x, y) of a row-major buffer lies.
constexpr std::size_t pixel_index(int x, int y, int width) {
  return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
}

/// Row-major buffers of the view's size. Ids count faces first, then balls.
struct Visible {
  std::vector<std::int32_t> id;
  std::vector<float> inverse_depth;  ///< 1 / metres along forward, 0 for the sky
};

Visible rasterise(const Scene& scene, const View& view);

/// Heights above the plane through the origin across `to_sun`, seen from the sun: what lies lower is in shade.
class ShadowMap {
 public:
  ShadowMap(const Scene& scene, Vec3 to_sun, Vec3 centre);
  /// 0 in the shade, 1 in the sun; smooth over a texel.
  float light_at(Vec3 point, Vec3 normal) const;

 private:
  Vec3 to_sun_, across_, up_, centre_;
  std::vector<float> height_;
};

}  // namespace revisit::town

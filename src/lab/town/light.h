// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Season, time of day and weather as numbers: where light comes from, what hides things, and what the sky looks like.
#pragma once

#include "revisit/lab/synth.h"
#include "lab/town/maths.h"

namespace revisit::town {

struct Air {
  bool snow = false, autumn = false, rain = false;
  float darkness = 0;  ///< 0 by day, 1 at night: how many windows and lamps are lit
  Vec3 to_sun{0, 0, 1};
  Vec3 sun;                    ///< zero without direct sun
  Vec3 from_sky, from_ground;  ///< light of the upper and lower half
  Vec3 zenith, horizon;        ///< colours of the sky
  float cloud = 0;             ///< share of the sky covered
  Vec3 haze;
  float haze_per_m = 0;
  float exposure = 1, contrast = 1, grain = 0;
  Vec3 balance{1, 1, 1};  ///< white balance of the camera
  std::uint32_t seed = 0;
};

Air make_air(const SceneConditions& conditions);

/// Radiance along a ray that meets nothing; `ray` need not be of unit length.
Vec3 sky_colour(const Air& air, Vec3 ray);

}  // namespace revisit::town

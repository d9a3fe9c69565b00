// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A picture taken by day as a camera might see it at night: dark sky, light only around lamps, their glare, blur and grain.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/random.h"
#include "revisit/image.h"

namespace revisit::augment {

struct Lamp {
  double x = 0.5;       ///< share of the picture's width
  double y = 0.3;       ///< share of its height
  double reach = 0.3;   ///< where its light has fallen to a quarter, share of the width
  double strength = 5;  ///< right under it, against the light from elsewhere
  double glare = 0.02;  ///< radius of the blinding spot, share of the width; 0: the lamp itself is out of view
  std::array<double, 3> colour{1, 0.8, 0.5};
};

struct Night {
  double level = 35;   ///< mean brightness of the result of 255, without glare; a dark picture becomes darker still
  double curve = 1.3;  ///< > 1: what was dark by day sinks into black
  std::array<double, 3> sky{0.004, 0.005, 0.008};  ///< its brightness, against a white wall in the light from elsewhere
  std::array<double, 3> ambient{0.7, 0.8, 1};      ///< the light from elsewhere
  std::vector<Lamp> lamps;
  double saturation = 1;  ///< 0: gray, as cameras see at night that amplify what little light there is
  double blur = 0;        ///< share of its light a pixel gives to each of its neighbours, 0..0.3
  double noise = 5;       ///< standard deviation of the grain, of 255
  std::uint64_t grain = 0;
  double amplified = 0;  ///< 1: the camera lifts the dark, grain and all, until every brightness is as frequent; 0: not at all
};

/// Dusk to deep night, streets under lamps and houses lit from below, clean and noisy pictures, dark and amplified.
Night random_night(SplitMix& random);

Image at_night(const Image& image, const Night& night);

/// Whether the picture is already (nearly) a night picture.
bool is_dark(const Image& image);

}  // namespace revisit::augment

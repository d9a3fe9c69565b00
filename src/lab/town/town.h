// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What stands where: the lasting part of a place (houses, ground, landmarks, lamps), its trees, and the passing part (traffic).
#pragma once

#include <optional>
#include <vector>

#include "lab/town/building.h"
#include "lab/town/scene.h"
#include "revisit/lab/synth.h"

namespace revisit::town {

struct Tree {
  Vec3 foot;
  float height = 7;
  bool conifer = false;
  std::uint64_t seed = 0;
};

/// One street scene. The street runs along y; the viewpoint is at y = 0.
struct Place {
  Scene scene;
  std::vector<Tree> trees;
  Vec3 viewpoint;         ///< on the ground
  float heading_deg = 0;  ///< of the view, clockwise from the street's direction
  float horizon = 0.6f;   ///< share of the picture above the horizon
  float road_width = 8;
  float left_front = -8;  ///< x of the house fronts
  float right_front = 8;
  float end = 60;  ///< y where the street ends
};

/// With `like`, street, ground and kinds of houses are those of that place, the houses themselves and all that stands around are
/// not.
Place make_place(std::uint64_t town_seed, int place, std::optional<int> like = {});

/// Church, tower, gatehouse, chimney, monument ... seen across `frame` (its front is `width` metres long).
void add_landmark(Scene& scene, const Frame& frame, float width, Rng& rng);
/// Something in the middle of an open space: fountain, column, kiosk, statue.
void add_monument(Scene& scene, Vec3 foot, Rng& rng);

void add_lamp_post(Scene& scene, Vec3 foot, float arm_towards_x, int kind, float height);
void add_bus_stop(Scene& scene, const Frame& frame, Rng& rng);
void add_bench(Scene& scene, const Frame& frame, int material);
void add_tree(Scene& scene, const Tree& tree, SceneConditions::Season season);

/// Cars on the road and people on the pavements, other ones for every seed.
void add_traffic(Place& place, const SceneConditions& conditions);

}  // namespace revisit::town

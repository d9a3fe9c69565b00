// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Houses: what the houses of a district share, and one house with walls, roof, balconies and signs.
#pragma once

#include "lab/town/scene.h"

namespace revisit::town {

enum class RoofShape : std::uint8_t { kFlat, kGable, kGableToStreet, kHip, kMansard, kStepped };
inline constexpr int kRoofShapes = 6;

/// Tendencies of a place; each house keeps to them with some probability.
struct District {
  int floors_low = 2, floors_high = 5;
  float width_low = 7, width_high = 15;
  float floor_height = 3.1f;
  Pattern pattern = Pattern::kPlaster;
  RoofShape roof = RoofShape::kGable;
  WindowStyle windows = WindowStyle::kPlain;
  Vec3 roof_colour;
  float shop_share = 0.4f;
  float balcony_share = 0.3f;
  float unity = 0.5f;  ///< probability that a house follows the district
};

District make_district(Rng& rng);

struct HouseSize {
  float width, depth;
  int floors;
};

Vec3 wall_colour_of(Pattern pattern, Rng& rng);
Vec3 roof_colour(Rng& rng);
/// A strong colour for signs, awnings and cars.
Vec3 vivid_colour(Rng& rng);

/// Near houses get balconies, bays, dormers and signs; far ones walls and roof only.
void add_house(Scene& scene, const Frame& frame, const HouseSize& size, const District& district, bool near_view, Rng& rng);

/// The roof of a house whose walls end at `height`; returns nothing visible below it.
void add_roof(Scene& scene, const Frame& frame, float width, float depth, float height, RoofShape shape, int wall_material,
              int roof_material, Rng& rng);

/// Balconies, bays, awnings and boards in front of the wall that `facade` draws.
void add_relief(Scene& scene, const Frame& frame, const Facade& facade, const District& district, Rng& rng);

}  // namespace revisit::town

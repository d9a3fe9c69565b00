// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The contents of a place: flat faces and balls with materials, facades drawn by rule, lamps. Building blocks append to a Scene.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "lab/town/maths.h"

namespace revisit::town {

enum class Surface : std::uint8_t {
  kFacade,  ///< a wall with windows: Material::facade says which
  kWall,    ///< wall texture without windows
  kRoof,    ///< tile or sheet rows
  kRoad,
  kPaving,
  kGrass,
  kPaint,  ///< one colour: cars, posts, coats
  kGlass,
  kSign,     ///< letters on a board
  kRailing,  ///< bars with gaps
  kFoliage,
  kHill,  ///< far away
  kLamp,  ///< glows when it is dark
  kWater,
};

enum class Pattern : std::uint8_t { kBrick, kPlaster, kStone, kPanel, kSiding, kTimber, kGlassGrid };
inline constexpr int kPatterns = 7;

struct Material {
  Surface surface = Surface::kPaint;
  Pattern pattern = Pattern::kPlaster;
  Vec3 colour{0.5f, 0.5f, 0.5f};
  Vec3 second{0.2f, 0.2f, 0.2f};  ///< mortar, letters, markings
  float scale = 1;                ///< size of the texture's cells relative to the usual one
  float width = 0;                ///< roads: from kerb to kerb
  float crossing = -1;            ///< roads: where a zebra crossing starts along v, < 0: none
  int facade = 0;
  std::uint32_t seed = 0;
};

enum class WindowStyle : std::uint8_t { kPlain, kCross, kArched, kShutters, kTall, kStrip, kRound };
inline constexpr int kWindowStyles = 7;
enum class GroundFloor : std::uint8_t { kHomes, kShops, kArcade, kGarage };

/// The rule that draws one wall: u runs along it, v up, both in metres.
struct Facade {
  float width = 10, height = 10;
  float ground_height = 3.6f, floor_height = 3;
  int bays = 4;
  float window_width = 0.5f;    ///< share of a bay
  float window_height = 0.55f;  ///< share of a floor
  float sill = 0.25f;           ///< share of a floor below the window
  float recess_m = 0.2f;        ///< how deep the pane lies behind the wall
  WindowStyle style = WindowStyle::kPlain;
  GroundFloor ground = GroundFloor::kHomes;
  Pattern pattern = Pattern::kPlaster;
  Pattern ground_pattern = Pattern::kStone;
  float pattern_scale = 1;
  Vec3 wall, mortar, trim, frame, door, shop;
  int door_bay = 0;
  bool bands = false, quoins = false, pilasters = false, surrounds = false, pediments = false;
  float blank_share = 0;  ///< share of bays without windows
  std::uint32_t seed = 0;
};

struct Face {
  std::array<Vec3, 4> corners;
  int count = 4;      ///< 3 or 4 corners, convex
  Vec3 u, v, normal;  ///< unit vectors; texture coordinates are measured from corners[0]
  int material = 0;
  bool two_sided = false;
  bool has_gaps = false;  ///< railings: the rasteriser asks the material at each pixel
};

/// A ragged sphere: foliage, heads, domes.
struct Ball {
  Vec3 centre;
  float radius = 1;
  int material = 0;
  float raggedness = 0;  ///< 0: smooth
};

struct Lamp {
  Vec3 position;
  Vec3 colour;
};

struct Scene {
  std::vector<Material> materials;
  std::vector<Facade> facades;
  std::vector<Face> faces;
  std::vector<Ball> balls;
  std::vector<Lamp> lamps;

  int add(const Material& material);
  /// Corners counter-clockwise seen from the front.
  Face& quad(Vec3 a, Vec3 b, Vec3 c, Vec3 d, int material);
  Face& triangle(Vec3 a, Vec3 b, Vec3 c, int material);
};

/// A plain colour as a new material.
int paint(Scene& scene, Vec3 colour, Surface surface = Surface::kPaint);

/// A right-angled corner to build in: a along the street front, b inward, z up. The front faces against `inward`.
struct Frame {
  Vec3 origin;
  Vec3 along{0, 1, 0};
  Vec3 inward{-1, 0, 0};

  static Frame facing(Vec3 origin, Vec3 along) { return {origin, along, -cross(along, kUp)}; }
  Vec3 at(float a, float b, float z) const { return origin + along * a + inward * b + kUp * z; }
};

struct Extent {
  float low, high;
};

/// Four sides and a top; a bottom too when it can be seen from a street.
void add_box(Scene& scene, const Frame& frame, Extent a, Extent b, Extent z, int side_material, int top_material);

}  // namespace revisit::town

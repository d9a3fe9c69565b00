// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Faces and boxes.
#include "lab/town/scene.h"

namespace revisit::town {

namespace {
constexpr float kEyeLevel_m = 1.4f;  // bottoms above it can be seen
}

int Scene::add(const Material& material) {
  materials.push_back(material);
  return static_cast<int>(materials.size()) - 1;
}

int paint(Scene& scene, Vec3 colour, Surface surface) {
  Material m;
  m.surface = surface;
  m.colour = colour;
  return scene.add(m);
}

Face& Scene::quad(Vec3 a, Vec3 b, Vec3 c, Vec3 d, int material) {
  Face face;
  face.corners = {a, b, c, d};
  face.material = material;
  face.normal = normalised(cross(c - a, d - b));
  face.u = normalised(b - a);
  face.v = cross(face.normal, face.u);
  faces.push_back(face);
  return faces.back();
}

Face& Scene::triangle(Vec3 a, Vec3 b, Vec3 c, int material) {
  Face face;
  face.corners = {a, b, c, c};
  face.count = 3;
  face.material = material;
  face.normal = normalised(cross(b - a, c - a));
  face.u = normalised(b - a);
  face.v = cross(face.normal, face.u);
  faces.push_back(face);
  return faces.back();
}

void add_box(Scene& scene, const Frame& f, Extent a, Extent b, Extent z, int side, int top) {
  scene.quad(f.at(a.low, b.low, z.low), f.at(a.high, b.low, z.low), f.at(a.high, b.low, z.high), f.at(a.low, b.low, z.high),
             side);
  scene.quad(f.at(a.high, b.low, z.low), f.at(a.high, b.high, z.low), f.at(a.high, b.high, z.high), f.at(a.high, b.low, z.high),
             side);
  scene.quad(f.at(a.high, b.high, z.low), f.at(a.low, b.high, z.low), f.at(a.low, b.high, z.high), f.at(a.high, b.high, z.high),
             side);
  scene.quad(f.at(a.low, b.high, z.low), f.at(a.low, b.low, z.low), f.at(a.low, b.low, z.high), f.at(a.low, b.high, z.high),
             side);
  scene.quad(f.at(a.low, b.low, z.high), f.at(a.high, b.low, z.high), f.at(a.high, b.high, z.high), f.at(a.low, b.high, z.high),
             top);
  if (z.low > kEyeLevel_m) {
    scene.quad(f.at(a.low, b.high, z.low), f.at(a.high, b.high, z.low), f.at(a.high, b.low, z.low), f.at(a.low, b.low, z.low),
               side);
  }
}

}  // namespace revisit::town

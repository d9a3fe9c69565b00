// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Convex polygons by scan line. 1/depth of a plane is linear in pixel coordinates, so depth is exact and needs no vertices.
#include "lab/town/raster.h"

#include <algorithm>
#include <array>

#include "lab/town/materials.h"

namespace revisit::town {

namespace {

constexpr float kNear_m = 0.12f;
constexpr int kShadowSize = 448;
constexpr float kShadowReach_m = 55;

struct Point {
  float x, y;
};

/// value = base + dx * x + dy * y at pixel centres.
struct Linear {
  float base, dx, dy;
};

/// Calls write(index, value) for each pixel whose centre lies in the convex polygon.
template <typename Write>
void fill(const Point* p, int count, int width, int height, const Linear& value, const Write& write) {
  float low = p[0].y, high = p[0].y;
  for (int i = 1; i < count; ++i) {
    low = std::min(low, p[i].y);
    high = std::max(high, p[i].y);
  }
  if (!(high > 0) || !(low < static_cast<float>(height))) return;
  const int first = low <= 0 ? 0 : floor_int(low + 0.5f);
  const int last = high >= static_cast<float>(height) ? height - 1 : floor_int(high - 0.5f);
  for (int y = first; y <= last; ++y) {
    const float cy = static_cast<float>(y) + 0.5f;
    float left = 1e9f, right = -1e9f;
    for (int i = 0; i < count; ++i) {
      const Point& a = p[i];
      const Point& b = p[i + 1 == count ? 0 : i + 1];
      if ((a.y <= cy) == (b.y <= cy)) continue;
      // From the upper corner, whichever polygon asks: neighbours agree on their common edge.
      const Point& from = a.y < b.y ? a : b;
      const Point& to = a.y < b.y ? b : a;
      const float x = from.x + (to.x - from.x) * ((cy - from.y) / (to.y - from.y));
      left = std::min(left, x);
      right = std::max(right, x);
    }
    if (!(right > 0) || !(left < static_cast<float>(width))) continue;
    const int begin = left <= 0 ? 0 : floor_int(left + 0.5f);
    const int end = right >= static_cast<float>(width) ? width : floor_int(right + 0.5f);
    const float row = value.base + value.dy * static_cast<float>(y);
    for (int x = begin; x < end; ++x) write(y * width + x, row + value.dx * static_cast<float>(x), x, y);
  }
}

struct Clipped {
  std::array<Point, 6> points;
  int count = 0;
};

Clipped project(const Face& face, const View& view) {
  Clipped out;
  std::array<Vec3, 4> seen;  // x right, y up, z forward
  for (std::size_t i = 0; i < static_cast<std::size_t>(face.count); ++i) {
    const Vec3 d = face.corners[i] - view.eye;
    seen[i] = {dot(d, view.right), dot(d, view.up), dot(d, view.forward)};
  }
  const auto keep = [&](Vec3 c) {
    const float scale = view.focal_px / c.z;
    out.points[static_cast<std::size_t>(out.count++)] = {view.centre_x + c.x * scale, view.horizon_y - c.y * scale};
  };
  for (int i = 0; i < face.count; ++i) {
    const Vec3 a = seen[static_cast<std::size_t>(i)], b = seen[static_cast<std::size_t>((i + 1) % face.count)];
    if (a.z >= kNear_m) keep(a);
    if ((a.z >= kNear_m) != (b.z >= kNear_m)) keep(mix(a, b, (kNear_m - a.z) / (b.z - a.z)));
  }
  return out;
}

void draw_ball(const Ball& ball, std::int32_t id, const View& view, Visible& out) {
  const Vec3 d = ball.centre - view.eye;
  const float z = dot(d, view.forward), r = ball.radius;
  if (z < r + kNear_m) return;
  const float scale = view.focal_px / (z - r), cx = view.centre_x + dot(d, view.right) * view.focal_px / z;
  const float cy = view.horizon_y - dot(d, view.up) * view.focal_px / z, reach = r * scale * 1.15f;
  const int x0 = std::max(0, floor_int(cx - reach)), x1 = std::min(view.width - 1, floor_int(cx + reach));
  const int y0 = std::max(0, floor_int(cy - reach)), y1 = std::min(view.height - 1, floor_int(cy + reach));
  const float cc = dot(d, d) - r * r;
  for (int y = y0; y <= y1; ++y) {
    for (int x = x0; x <= x1; ++x) {
      const Vec3 ray = view.ray(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
      const float a = dot(ray, ray), b = dot(ray, d), disc = b * b - a * cc;
      if (disc <= 0) continue;
      const float t = (b - std::sqrt(disc)) / a, inverse = 1 / t;
      float& nearest = out.inverse_depth[pixel_index(x, y, view.width)];
      if (inverse <= nearest) continue;
      if (ball.raggedness > 0) {
        // Leaves thin out towards the rim, in clumps that belong to the tree and not to the picture.
        const float rim = disc / (a * r * r);  // 1 in the middle, 0 at the rim
        const Vec3 p = view.eye + ray * t;
        const float clump = noise2(p.x * 5 + p.z * 3, p.z * 5 - p.y * 4, 77);
        if (rim < ball.raggedness * clump) continue;
      }
      nearest = inverse;
      out.id[pixel_index(x, y, view.width)] = id;
    }
  }
}

}  // namespace

Visible rasterise(const Scene& scene, const View& view) {
  const auto pixels = static_cast<std::size_t>(view.width) * static_cast<std::size_t>(view.height);
  Visible out{std::vector<std::int32_t>(pixels, kSky), std::vector<float>(pixels, 0.0f)};
  const Vec3 corner = view.ray(0.5f, 0.5f);
  for (std::size_t i = 0; i < scene.faces.size(); ++i) {
    const Face& face = scene.faces[i];
    const float distance = dot(face.normal, face.corners[0] - view.eye);  // < 0: the front is seen
    if (face.two_sided ? magnitude(distance) < 1e-4f : distance > -1e-4f) continue;
    const Clipped polygon = project(face, view);
    if (polygon.count < 3) continue;
    const Linear inverse{dot(face.normal, corner) / distance, dot(face.normal, view.right) / view.focal_px / distance,
                         -dot(face.normal, view.up) / view.focal_px / distance};
    const auto id = static_cast<std::int32_t>(i);
    const Material& material = scene.materials[static_cast<std::size_t>(face.material)];
    fill(polygon.points.data(), polygon.count, view.width, view.height, inverse, [&](int at, float value, int x, int y) {
      const auto pixel = static_cast<std::size_t>(at);
      if (value <= out.inverse_depth[pixel]) return;
      if (face.has_gaps) {
        const Vec3 p =
            view.eye + view.ray(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f) * (1 / value) - face.corners[0];
        if (!is_solid(material, dot(p, face.u), dot(p, face.v))) return;
      }
      out.inverse_depth[pixel] = value;
      out.id[pixel] = id;
    });
  }
  for (std::size_t i = 0; i < scene.balls.size(); ++i) {
    draw_ball(scene.balls[i], static_cast<std::int32_t>(scene.faces.size() + i), view, out);
  }
  return out;
}

ShadowMap::ShadowMap(const Scene& scene, Vec3 to_sun, Vec3 centre)
    : to_sun_(to_sun), across_(normalised(cross(kUp, to_sun))), up_(cross(to_sun_, across_)), centre_(centre) {
  height_.assign(static_cast<std::size_t>(kShadowSize) * kShadowSize, -1e9f);
  const float scale = kShadowSize / (2 * kShadowReach_m);
  const auto map_x = [&](Vec3 d) { return (dot(d, across_) + kShadowReach_m) * scale; };
  const auto map_y = [&](Vec3 d) { return (dot(d, up_) + kShadowReach_m) * scale; };
  for (const Face& face : scene.faces) {
    const float facing = dot(face.normal, to_sun_);
    if (face.has_gaps || magnitude(facing) < 0.02f) continue;
    std::array<Point, 4> points;
    for (std::size_t i = 0; i < 4; ++i) points[i] = {map_x(face.corners[i] - centre_), map_y(face.corners[i] - centre_)};
    // Height along to_sun of the plane under a texel: n.(s h + a x + b y) = n.(corner - centre).
    const float level = dot(face.normal, face.corners[0] - centre_), na = dot(face.normal, across_), nb = dot(face.normal, up_);
    const float start = 0.5f / scale - kShadowReach_m;
    const Linear height{(level - na * start - nb * start) / facing, -na / scale / facing, -nb / scale / facing};
    fill(points.data(), face.count, kShadowSize, kShadowSize, height, [&](int at, float value, int, int) {
      float& top = height_[static_cast<std::size_t>(at)];
      top = std::max(top, value);
    });
  }
  for (const Ball& ball : scene.balls) {
    const Vec3 d = ball.centre - centre_;
    const float cx = map_x(d), cy = map_y(d), r = ball.radius * scale, level = dot(d, to_sun_);
    for (int y = std::max(0, floor_int(cy - r)); y <= std::min(kShadowSize - 1, floor_int(cy + r)); ++y) {
      for (int x = std::max(0, floor_int(cx - r)); x <= std::min(kShadowSize - 1, floor_int(cx + r)); ++x) {
        const float dx = static_cast<float>(x) + 0.5f - cx, dy = static_cast<float>(y) + 0.5f - cy;
        const float noise = ball.raggedness > 0 ? 0.35f + to_unit(hash_cell(x / 2, y / 2, 5)) : 1.0f;
        float& top = height_[pixel_index(x, y, kShadowSize)];
        if (dx * dx + dy * dy < r * r * noise) top = std::max(top, level);
      }
    }
  }
}

float ShadowMap::light_at(Vec3 point, Vec3 normal) const {
  const Vec3 d = point + normal * 0.12f - centre_;
  const float scale = kShadowSize / (2 * kShadowReach_m);
  const float x = (dot(d, across_) + kShadowReach_m) * scale - 0.5f, y = (dot(d, up_) + kShadowReach_m) * scale - 0.5f;
  const int ix = floor_int(x), iy = floor_int(y);
  if (ix < 0 || iy < 0 || ix + 1 >= kShadowSize || iy + 1 >= kShadowSize) return 1;
  const float level = dot(d, to_sun_) + 0.1f, fx = x - static_cast<float>(ix), fy = y - static_cast<float>(iy);
  const auto lit = [&](int ax, int ay) { return height_[pixel_index(ax, ay, kShadowSize)] < level ? 1.0f : 0.0f; };
  return mix(mix(lit(ix, iy), lit(ix + 1, iy), fx), mix(lit(ix, iy + 1), lit(ix + 1, iy + 1), fx), fy);
}

}  // namespace revisit::town

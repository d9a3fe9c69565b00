// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A front by rule: floors and bays, windows set back into the wall (seen at an angle they show their reveals), doors, shops.
#include "lab/town/materials.h"

namespace revisit::town {

namespace {

enum class Kind : std::uint8_t { kNone, kWindow, kDoor, kShop, kArch, kGarage };

/// A hole in the wall; a from the bay's middle, b from the floor's foot, in metres.
struct Opening {
  Kind kind = Kind::kNone;
  float half = 0, low = 0, high = 0;
  bool arched = false, round = false;

  bool holds(float a, float b, float margin = 0) const {
    const float w = half + margin;
    if (a < -w || a > w || b < low - margin || b > high + margin) return false;
    if (round) {
      const float x = a / w, y = (b - (low + high) / 2) / ((high - low) / 2 + margin);
      return x * x + y * y < 1;
    }
    const float spring = high - half;
    if (arched && b > spring) return a * a + (b - spring) * (b - spring) < w * w;
    return true;
  }
};

struct Spot {
  int floor, bay;
  float a, b;  // within the bay and floor
  float bay_width, floor_height;
};

Opening opening_at(const Facade& f, const Spot& s) {
  Opening o;
  const std::uint32_t column = hash_cell(s.bay, 11, f.seed);
  o.half = s.bay_width * f.window_width / 2;
  if (s.floor == 0) {
    o.low = 0.02f;
    o.high = s.floor_height * 0.74f;
    if (s.bay == f.door_bay) {
      o.kind = Kind::kDoor;
      o.half = o.half < 0.85f ? o.half : 0.85f;
      o.arched = f.style == WindowStyle::kArched;
      return o;
    }
    switch (f.ground) {
      case GroundFloor::kShops:
        o.kind = Kind::kShop;
        o.half = s.bay_width * 0.45f;
        o.low = 0.45f;
        o.high = s.floor_height - 1.05f;
        return o;
      case GroundFloor::kArcade:
        o.kind = Kind::kArch;
        o.half = s.bay_width * 0.38f;
        o.high = s.floor_height * 0.88f;
        o.arched = true;
        return o;
      case GroundFloor::kGarage:
        if (to_unit(column) < 0.6f) {
          o.kind = Kind::kGarage;
          o.half = s.bay_width * 0.42f;
          return o;
        }
        break;
      case GroundFloor::kHomes: break;
    }
  }
  if (to_unit(column) < f.blank_share) return o;
  if (f.pattern == Pattern::kGlassGrid && s.floor > 0) {
    o.kind = Kind::kWindow;
    o.half = s.bay_width * 0.47f;
    o.low = 0.12f;
    o.high = s.floor_height - 0.1f;
    return o;
  }
  o.kind = Kind::kWindow;
  o.low = s.floor_height * f.sill;
  o.high = o.low + s.floor_height * f.window_height;
  // One column in some houses is wider or narrower than the rest.
  if ((column & 7U) == 3U) o.half *= 0.6f;
  o.arched = f.style == WindowStyle::kArched;
  o.round = f.style == WindowStyle::kRound && (s.floor + s.bay) % 2 == 0;
  return o;
}

/// Light behind a pane, other windows every evening.
Vec3 room_light(const Facade& f, const Spot& s, const Air& air, float share) {
  if (air.darkness <= 0) return {};
  const std::uint32_t h = hash_cell(s.bay + 31 * s.floor, 5, f.seed ^ air.seed);
  if (to_unit(h) > share * air.darkness) return {};
  const float warmth = to_unit(scatter(h) & 0xffffffffU),
              power = 0.16f + 0.30f * to_unit(static_cast<std::uint32_t>(scatter(h) >> 32));
  return mix(Vec3{1.0f, 0.62f, 0.28f}, Vec3{0.9f, 0.86f, 0.72f}, warmth) * power;
}

Look pane_look(const Facade& f, const Spot& s, const Opening& o, float a, float b, const Air& air) {
  Look look;
  const std::uint32_t h = hash_cell(s.bay, s.floor, f.seed ^ 0x9a9eU);
  const bool shop = o.kind == Kind::kShop;
  const float height = o.high - o.low, up = (b - o.low) / height, across = (a + o.half) / (2 * o.half);
  look.albedo = Vec3{0.035f, 0.04f, 0.05f};
  look.mirror = 0.38f;
  const Vec3 light = room_light(f, s, air, shop ? 0.9f : 0.42f);
  if (shop) {  // goods on show
    const int shelf = floor_int(up * 3), item = floor_int(across * 9);
    const std::uint32_t goods = hash_cell(item + 40 * s.bay, shelf, f.seed ^ 0x600dU);
    const float tall = 0.35f + 0.6f * to_unit(goods);
    if (up < 0.8f && fraction(up * 3) < tall) {
      look.albedo = Vec3{to_unit(goods * 3U), to_unit(goods * 7U), to_unit(goods * 13U)} * 0.45f;
      look.mirror = 0.12f;
    }
    look.glow = light * (look.albedo * 1.6f + Vec3{0.5f, 0.5f, 0.5f});
    return look;
  }
  const float drawn = 0.12f + 0.5f * to_unit(h * 5U);  // curtains and blinds
  const bool curtain = (h & 3U) != 0 && (across < drawn * 0.5f || across > 1 - drawn * 0.5f);
  const bool blind = (h & 12U) == 4U && up > 1 - drawn;
  if (curtain || blind) {
    look.albedo = mix(Vec3{0.55f, 0.53f, 0.48f}, f.shop, (h & 16U) != 0 ? 0.4f : 0.0f) *
                  (0.75f + 0.25f * to_unit(hash_cell(floor_int(a * 14), 1, h)));
    look.mirror = 0.18f;
  }
  look.glow = light * (curtain || blind ? 0.55f : 0.75f + 0.35f * up);
  return look;
}

/// Frame and glazing bars at (a, b) of the pane.
bool on_frame(const Facade& f, const Opening& o, float a, float b) {
  constexpr float kBar = 0.045f;
  if (!o.holds(a, b, -0.075f)) return true;
  if (o.kind == Kind::kShop) return magnitude(a) < kBar;
  const float height = o.high - o.low, up = b - o.low;
  if (f.pattern == Pattern::kGlassGrid)
    return magnitude(fraction((a + o.half) / 0.9f) - 0.5f) > 0.46f || magnitude(up - height * 0.3f) < kBar;
  switch (f.style) {
    case WindowStyle::kCross: return magnitude(a) < kBar || magnitude(up - height * 0.62f) < kBar;
    case WindowStyle::kTall: return magnitude(a) < kBar || fraction(up / (height / 3.001f)) < 0.06f;
    case WindowStyle::kStrip: return fraction((a + o.half) / 0.8f) < 0.07f;
    case WindowStyle::kShutters: return magnitude(a) < kBar || fraction(up / (height / 2.001f)) < 0.06f;
    case WindowStyle::kArched: return magnitude(a) < kBar || magnitude(b - (o.high - o.half)) < kBar;
    case WindowStyle::kRound: return magnitude(a) < kBar || magnitude(up - height / 2) < kBar;
    case WindowStyle::kPlain: return magnitude(a) < kBar;
  }
  return false;
}

Look inside_opening(const Facade& f, const Spot& s, const Opening& o, const Hit& hit, const Air& air) {
  const float deep = o.kind == Kind::kArch ? 2.2f : o.kind == Kind::kDoor || o.kind == Kind::kGarage ? 0.35f : f.recess_m;
  const float way = deep / (hit.ray_n > 0.08f ? hit.ray_n : 0.08f);
  const float a = s.a + hit.ray_u * way, b = s.b + hit.ray_v * way;
  Look look;
  if (!o.holds(a, b)) {  // the reveal, or in snow the sill
    const bool sill = b < o.low;
    look.albedo = sill && air.snow ? Vec3{0.8f, 0.82f, 0.86f} : f.trim * (sill ? 0.85f : 0.5f);
    return look;
  }
  switch (o.kind) {
    case Kind::kDoor: {
      const float up = b / o.high;
      if (up > 0.8f) {
        look = pane_look(f, s, o, a, b, air);
        break;
      }
      const bool groove = magnitude(magnitude(a) - o.half * 0.5f) > o.half * 0.38f || fraction(up * 3.1f) < 0.12f;
      look.albedo = f.door * (groove ? 0.55f : 1.0f);
      break;
    }
    case Kind::kGarage: look.albedo = f.door * (fraction(b / 0.34f) < 0.15f ? 0.5f : 0.9f); break;
    case Kind::kArch:
      look.albedo = f.wall * (0.16f + 0.1f * noise2(a * 3, b * 3, f.seed));
      look.glow = room_light(f, s, air, 0.5f) * 0.3f;
      break;
    case Kind::kNone:
    case Kind::kShop:
    case Kind::kWindow:
      if (on_frame(f, o, a, b)) {
        look.albedo = f.frame * 0.9f;
      } else {
        look = pane_look(f, s, o, a, b, air);
      }
  }
  return look;
}

/// Trim, bands, shutters around the openings; false when the bare wall shows.
bool ornament(const Facade& f, const Spot& s, const Opening& o, const Hit& hit, const Air& air, Vec3& out) {
  const Vec3 snow{0.82f, 0.84f, 0.88f};
  if (o.kind == Kind::kWindow && f.pattern != Pattern::kGlassGrid) {
    if (s.b < o.low && s.b > o.low - 0.13f && magnitude(s.a) < o.half + 0.12f) {
      out = air.snow && s.b > o.low - 0.07f ? snow : f.trim;
      return true;
    }
    if (f.style == WindowStyle::kShutters && s.b > o.low && s.b < o.high && magnitude(s.a) < o.half * 1.85f) {
      out = f.door * (fraction(s.b / 0.13f) < 0.35f ? 0.5f : 1.0f);
      return true;
    }
    if (f.pediments && s.floor > 0 && s.b > o.high + 0.08f &&
        s.b < o.high + 0.08f + 0.45f * (1 - magnitude(s.a) / (o.half + 0.25f))) {
      out = f.trim * 0.9f;
      return true;
    }
  }
  if (f.surrounds && (o.kind == Kind::kWindow || o.kind == Kind::kDoor || o.kind == Kind::kArch) && o.holds(s.a, s.b, 0.16f)) {
    out = f.trim;
    return true;
  }
  if (f.bands && s.b < 0.22f && s.floor > 0) {
    out = air.snow && s.b > 0.14f ? snow : f.trim * (s.b < 0.06f ? 0.55f : 0.95f);
    return true;
  }
  if (f.quoins && (hit.u < 0.55f || hit.u > f.width - 0.55f)) {
    const int row = floor_int(hit.v / 0.4f);
    const float reach = (row & 1) != 0 ? 0.55f : 0.32f;
    if ((hit.u < reach || hit.u > f.width - reach) && fraction(hit.v / 0.4f) > 0.1f) {
      out = f.trim * (0.85f + 0.2f * to_unit(hash_cell(row, 3, f.seed)));
      return true;
    }
  }
  if (f.pilasters && s.floor > 0 && magnitude(s.a) > s.bay_width / 2 - 0.2f) {
    out = f.trim * (magnitude(s.a) > s.bay_width / 2 - 0.14f ? 0.95f : 0.6f);
    return true;
  }
  return false;
}

}  // namespace

Look facade_look(const Facade& f, const Hit& hit, const Air& air) {
  Spot s{};
  const bool ground = hit.v < f.ground_height;
  s.floor = ground ? 0 : 1 + floor_int((hit.v - f.ground_height) / f.floor_height);
  s.floor_height = ground ? f.ground_height : f.floor_height;
  const float foot = ground ? 0 : f.ground_height + static_cast<float>(s.floor - 1) * f.floor_height;
  s.bay_width = f.width / static_cast<float>(f.bays);
  s.bay = floor_int(hit.u / s.bay_width);
  s.a = hit.u - (static_cast<float>(s.bay) + 0.5f) * s.bay_width;
  s.b = hit.v - foot;
  const bool attic = foot + f.floor_height * 0.9f > f.height && s.floor > 0;
  const Opening o = attic ? Opening{} : opening_at(f, s);
  if (o.kind != Kind::kNone && o.holds(s.a, s.b)) return inside_opening(f, s, o, hit, air);
  Look look;
  if (!ornament(f, s, o, hit, air, look.albedo)) {
    look.albedo =
        wall_texture(ground ? f.ground_pattern : f.pattern, f.wall * (ground && f.ground_pattern != f.pattern ? 0.85f : 1.0f),
                     f.mortar, f.pattern_scale, f.seed, hit.u, hit.v, hit.pixel_m);
  }
  // Splashed at the foot, shaded under the eaves.
  look.albedo = look.albedo * (0.72f + 0.28f * smooth_step(0, 0.9f, hit.v)) * (hit.v > f.height - 0.7f ? 0.8f : 1.0f);
  return look;
}

}  // namespace revisit::town

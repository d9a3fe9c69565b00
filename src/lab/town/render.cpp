// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One picture, step by step.
#include "lab/town/render.h"

#include "core/base/fail.h"

namespace revisit {

namespace town {

namespace {
constexpr float kFocalPerWidth = 0.85f;  // 61 degrees across
}

View make_view(const Place& place, const SceneCamera& camera, Size size) {
  const SinCos base = sin_cos_deg(place.heading_deg), turned = sin_cos_deg(place.heading_deg + camera.heading_deg);
  const auto side = static_cast<float>(camera.side_m), ahead = static_cast<float>(camera.forward_m);
  View view;
  view.eye = place.viewpoint + Vec3{base.cos, -base.sin, 0} * side + Vec3{base.sin, base.cos, 0} * ahead +
             kUp * static_cast<float>(camera.height_m);
  view.forward = {turned.sin, turned.cos, 0};
  view.right = {turned.cos, -turned.sin, 0};
  view.up = kUp;
  view.width = size.width;
  view.height = size.height;
  view.focal_px = kFocalPerWidth * static_cast<float>(size.width);
  view.centre_x = static_cast<float>(size.width) / 2;
  view.horizon_y = place.horizon * static_cast<float>(size.height);
  return view;
}

}  // namespace town

Image render_place(std::uint64_t town_seed, int place_number, const SceneCamera& camera, const SceneConditions& conditions,
                   Size size, std::optional<int> like) {
  constexpr int kMaxSide = 4096;
  if (size.height < 1 || size.width < 1 || size.height > kMaxSide || size.width > kMaxSide) {
    fail(ErrorCode::kUsage, "a picture of {}x{} pixels cannot be rendered: each side must be 1 to {}", size.height, size.width,
         kMaxSide);
  }
  if (place_number < 0 || like.value_or(0) < 0)
    fail(ErrorCode::kUsage, "place {} does not exist: places count from 0", std::min(place_number, like.value_or(0)));
  town::Place place = town::make_place(town_seed, place_number, like);
  for (const town::Tree& tree : place.trees) add_tree(place.scene, tree, conditions.season);
  add_traffic(place, conditions);
  const town::Air air = town::make_air(conditions);
  const town::View view = town::make_view(place, camera, size);
  const town::Visible visible = town::rasterise(place.scene, view);
  return develop(place.scene, view, visible, air, shade(place.scene, view, visible, air));
}

}  // namespace revisit

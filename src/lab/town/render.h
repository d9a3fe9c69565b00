// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The steps of one picture, apart so that they can be tested.
#pragma once

#include "lab/town/light.h"
#include "lab/town/raster.h"
#include "lab/town/town.h"

namespace revisit::town {

/// The camera of a place; `size` is that of the picture in pixels.
View make_view(const Place& place, const SceneCamera& camera, Size size);

/// Linear radiance before the camera's exposure, row-major.
std::vector<Vec3> shade(const Scene& scene, const View& view, const Visible& visible, const Air& air);

/// Wet ground, soft edges, rain and flakes, exposure, grain: from radiance to bytes.
Image develop(const Scene& scene, const View& view, const Visible& visible, const Air& air, std::vector<Vec3> radiance);

}  // namespace revisit::town

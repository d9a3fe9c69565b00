// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Numbers of patches, laid over the photo they belong to.
#pragma once

#include <span>
#include <vector>

#include "lab/report/canvas.h"
#include "revisit/lab/report.h"

namespace revisit::report {

/// From almost black over violet and orange to almost white, ever lighter, so that it reads in print and without colour vision.
/// `t` is clamped to [0, 1].
Colour heat_colour(double t);

struct Range {
  double low = 0, high = 1;
  double share(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

Range range_of(std::span<const float> values);  ///< of the finite ones; 0 to 1 when there are none

/// The photo in grey under the colours of the values, which blend from patch to patch. A patch whose value is NaN is left dark.
Image heat_over(const Image& photo, Size grid, std::span<const float> values, Range range);

/// Whether `owner`, empty or one per patch, says of each kept patch itself and of every other one of the kept or -1.
bool owners_fit(std::span<const std::int64_t> owner, std::span<const std::int64_t> kept, Size grid);

/// The photo with the patches outside `kept` in orange where another patch stands for them and darkened where none does; when
/// `outlined`, a line around each kind: small pictures do without.
Image mask_over(const Image& photo, Size grid, std::span<const std::int64_t> kept, std::span<const std::int64_t> owner,
                bool outlined = true);

/// values[i] belongs to the patch kept[i] and those it stands for; the result has one value per patch, NaN where there is none.
std::vector<float> placed(std::span<const float> values, std::span<const std::int64_t> kept, std::span<const std::int64_t> owner,
                          Size grid);

/// The ceil(rho N) patches with the highest score, ascending; equal scores by index.
std::vector<std::int64_t> kept_at(std::span<const float> scores, double rho);

}  // namespace revisit::report

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Pictures of one size in rows, each with a title, a line below it and, for heat maps, the scale of its colours.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/report/patch_map.h"

namespace revisit::report {

struct Panel {
  std::string title;
  std::string line;  ///< smaller, may be empty
  Image image;
  std::optional<Range> scale;
};

/// Every row's panels have the size of the first panel of the sheet; rows may differ in length. Throws Error
/// kUsage when the first row is missing or empty.
Image draw_sheet(const std::vector<std::vector<Panel>>& rows);

/// The photo with its aspect ratio kept, as large as fits into a square of `side`.
Image fitted(const Image& photo, int side);

}  // namespace revisit::report

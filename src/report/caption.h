// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The few letters that stand above pictures, drawn without a font library.
#pragma once

#include <string_view>

#include "revisit/image.h"

namespace revisit::report {

struct Colour {
  std::uint8_t r = 0, g = 0, b = 0;
};

/// Fills the rectangle as far as it lies on the canvas.
void fill(Image& canvas, int x, int y, int width, int height, Colour colour);

/// Writes "Query", "Pred0 - True", "Pred12 - False"; letters outside these words are left blank. A letter takes 6 x 7 cells of
/// `cell` pixels.
void write_caption(Image& canvas, int x, int y, std::string_view text, int cell, Colour colour);

}  // namespace revisit::report

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Letters of 5 x 7 cells, only those the captions use.
#include "report/caption.h"

#include <algorithm>
#include <array>

namespace revisit::report {
namespace {

struct Glyph {
  char letter;
  std::array<const char*, 7> rows;  // '#' is ink
};

constexpr Glyph kGlyphs[] = {
    {'0', {" ### ", "#   #", "#  ##", "# # #", "##  #", "#   #", " ### "}},
    {'1', {"  #  ", " ##  ", "  #  ", "  #  ", "  #  ", "  #  ", " ### "}},
    {'2', {" ### ", "#   #", "    #", "  ## ", " #   ", "#    ", "#####"}},
    {'3', {" ### ", "#   #", "    #", "  ## ", "    #", "#   #", " ### "}},
    {'4', {"   # ", "  ## ", " # # ", "#  # ", "#####", "   # ", "   # "}},
    {'5', {"#####", "#    ", "#### ", "    #", "    #", "#   #", " ### "}},
    {'6', {"  ## ", " #   ", "#    ", "#### ", "#   #", "#   #", " ### "}},
    {'7', {"#####", "    #", "   # ", "  #  ", "  #  ", " #   ", " #   "}},
    {'8', {" ### ", "#   #", "#   #", " ### ", "#   #", "#   #", " ### "}},
    {'9', {" ### ", "#   #", "#   #", " ####", "    #", "   # ", " ##  "}},
    {'Q', {" ### ", "#   #", "#   #", "#   #", "# # #", "#  # ", " ## #"}},
    {'P', {"#### ", "#   #", "#   #", "#### ", "#    ", "#    ", "#    "}},
    {'T', {"#####", "  #  ", "  #  ", "  #  ", "  #  ", "  #  ", "  #  "}},
    {'F', {"#####", "#    ", "#    ", "#### ", "#    ", "#    ", "#    "}},
    {'a', {"     ", "     ", " ### ", "    #", " ####", "#   #", " ####"}},
    {'d', {"    #", "    #", " ####", "#   #", "#   #", "#   #", " ####"}},
    {'e', {"     ", "     ", " ### ", "#   #", "#####", "#    ", " ### "}},
    {'l', {" ##  ", "  #  ", "  #  ", "  #  ", "  #  ", "  #  ", " ### "}},
    {'r', {"     ", "     ", "# ## ", "##  #", "#    ", "#    ", "#    "}},
    {'s', {"     ", "     ", " ####", "#    ", " ### ", "    #", "#### "}},
    {'u', {"     ", "     ", "#   #", "#   #", "#   #", "#  ##", " ## #"}},
    {'y', {"     ", "     ", "#   #", "#   #", " ####", "    #", " ### "}},
    {'-', {"     ", "     ", "     ", " ### ", "     ", "     ", "     "}},
};

}  // namespace

void fill(Image& canvas, int x, int y, int width, int height, Colour colour) {
  for (int py = std::max(0, y); py < std::min(canvas.height, y + height); ++py) {
    for (int px = std::max(0, x); px < std::min(canvas.width, x + width); ++px) {
      auto* pixel =
          &canvas.rgb[3 * (static_cast<std::size_t>(py) * static_cast<std::size_t>(canvas.width) + static_cast<std::size_t>(px))];
      pixel[0] = colour.r;
      pixel[1] = colour.g;
      pixel[2] = colour.b;
    }
  }
}

void write_caption(Image& canvas, int x, int y, std::string_view text, int cell, Colour colour) {
  for (const char letter : text) {
    const auto* glyph = std::ranges::find(kGlyphs, letter, &Glyph::letter);
    for (int row = 0; glyph != std::end(kGlyphs) && row < 7; ++row) {
      for (int column = 0; column < 5; ++column) {
        const bool ink = glyph->rows[static_cast<std::size_t>(row)][column] == '#';
        if (ink) fill(canvas, x + column * cell, y + row * cell, cell, cell, colour);
      }
    }
    x += 6 * cell;
  }
}

}  // namespace revisit::report

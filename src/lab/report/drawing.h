// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A drawing is a list of lines, discs and words; it becomes SVG text or pixels that show the same.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lab/report/canvas.h"

namespace revisit::report {

struct Line {
  std::vector<Point> points;
  std::optional<Colour> colour;  ///< nothing: the colour of text around the drawing
  double width = 1;
  std::vector<double> dash;
  double opacity = 1;
};

struct Disc {
  Point centre;
  double radius = 4;
  std::optional<Colour> colour;
  double opacity = 1;
};

struct Words {
  Point at;  ///< on the baseline
  std::string text;
  TextStyle style;
  std::optional<Colour> colour;
};

struct Drawing {
  double width = 0, height = 0;
  std::string title;  ///< read aloud by screen readers, not drawn
  std::vector<std::variant<Line, Disc, Words>> shapes;
};

/// A standalone drawing is a file of its own, on white; otherwise it is part of an HTML page and takes its colours.
std::string to_svg(const Drawing& drawing, bool standalone = false);

Image to_image(const Drawing& drawing, double scale);

}  // namespace revisit::report

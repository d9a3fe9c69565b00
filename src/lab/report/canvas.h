// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Pixels to draw on: lines, discs, words and other pictures, antialiased. The only code that uses cairo.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "revisit/image.h"

namespace revisit::report {

struct Colour {
  std::uint8_t r = 0, g = 0, b = 0;
  double opacity = 1;
  bool operator==(const Colour&) const = default;
};

inline constexpr Colour kWhite{255, 255, 255}, kInk{34, 34, 34}, kGrey{91, 107, 123};
inline constexpr Colour kRightColour{0, 133, 95}, kWrongColour{213, 94, 0};  // distinct for colour-blind readers too

std::string hex(Colour colour);  ///< "#00855f"

struct Point {
  double x = 0, y = 0;
};

enum class Anchor { kStart, kMiddle, kEnd };

struct TextStyle {
  double size = 12;
  bool bold = false;
  Anchor anchor = Anchor::kStart;
  bool upwards = false;  ///< turned by 90 degrees, to be read from the right
};

class Canvas {
 public:
  /// White. Lengths given to it are multiplied by `scale`. Throws Error kNoMemory.
  Canvas(double width, double height, double scale = 1);
  ~Canvas();
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  void rectangle(Point corner, double width, double height, Colour colour);
  void path(std::span<const Point> points, Colour colour, double width, std::span<const double> dash = {});
  void disc(Point centre, double radius, Colour colour);
  /// `at` is on the baseline. Bytes that are not UTF-8 become U+FFFD.
  void text(Point at, std::string_view words, Colour colour, const TextStyle& style = {});
  void paste(const Image& image, Point corner);  ///< pixel for pixel at scale 1

  Image image() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace revisit::report

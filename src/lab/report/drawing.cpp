// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The two ways out of a drawing.
#include "lab/report/drawing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lab/report/text.h"

namespace revisit::report {
namespace {

std::string paint(const char* attribute, const std::optional<Colour>& colour, double opacity) {
  std::string out = fmt::format(" {}=\"{}\"", attribute, colour ? hex(*colour) : "currentColor");
  if (opacity < 1) out += fmt::format(" opacity=\"{:g}\"", opacity);
  return out;
}

struct ToSvg {
  std::string& out;

  void operator()(const Line& line) const {
    out += "<path d=\"";
    for (std::size_t i = 0; i < line.points.size(); ++i) {
      out += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", line.points[i].x, line.points[i].y);
    }
    out += "\" fill=\"none\"" + paint("stroke", line.colour, line.opacity);
    if (line.width != 1) out += fmt::format(" stroke-width=\"{:g}\"", line.width);
    if (!line.dash.empty()) out += fmt::format(" stroke-dasharray=\"{}\"", fmt::join(line.dash, " "));
    out += "/>\n";
  }
  void operator()(const Disc& disc) const {
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\"{}/>\n", disc.centre.x, disc.centre.y, disc.radius,
                       paint("fill", disc.colour, disc.opacity));
  }
  void operator()(const Words& words) const {
    const TextStyle& style = words.style;
    out += style.upwards ? fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\"", words.at.x, words.at.y)
                         : fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"", words.at.x, words.at.y);
    if (style.size != 12) out += fmt::format(" font-size=\"{:g}\"", style.size);
    if (style.anchor != Anchor::kStart) {
      out += fmt::format(" text-anchor=\"{}\"", style.anchor == Anchor::kMiddle ? "middle" : "end");
    }
    if (style.bold) out += " font-weight=\"bold\"";
    if (words.colour) out += paint("fill", words.colour, 1);
    out += fmt::format(">{}</text>\n", escaped(words.text));
  }
};

struct ToCanvas {
  Canvas& canvas;

  static Colour paint(std::optional<Colour> colour, double opacity) {
    Colour out = colour.value_or(kInk);
    out.opacity *= opacity;
    return out;
  }
  void operator()(const Line& line) const { canvas.path(line.points, paint(line.colour, line.opacity), line.width, line.dash); }
  void operator()(const Disc& disc) const { canvas.disc(disc.centre, disc.radius, paint(disc.colour, disc.opacity)); }
  void operator()(const Words& words) const { canvas.text(words.at, words.text, paint(words.colour, 1), words.style); }
};

}  // namespace

std::string to_svg(const Drawing& drawing, bool standalone) {
  std::string out = "<svg ";
  if (standalone) {
    out += fmt::format("xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" color=\"{}\" ", drawing.width,
                       drawing.height, hex(kInk));
  }
  out += fmt::format(
      "viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\" font-family=\"sans-serif\" font-size=\"12\" "
      "fill=\"currentColor\">\n<title>{}</title>\n",
      drawing.width, drawing.height, escaped(drawing.title), escaped(drawing.title));
  if (standalone) out += "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  for (const auto& shape : drawing.shapes) std::visit(ToSvg{out}, shape);
  return out + "</svg>\n";
}

Image to_image(const Drawing& drawing, double scale) {
  Canvas canvas(drawing.width, drawing.height, scale);
  for (const auto& shape : drawing.shapes) std::visit(ToCanvas{canvas}, shape);
  return canvas.image();
}

}  // namespace revisit::report

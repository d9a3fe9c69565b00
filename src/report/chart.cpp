// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Series differ by colour (safe for colour-blind readers), dash and a name beside their last point.
#include "report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/text.h"

namespace revisit::report {
namespace {

constexpr double kWidth = 640, kHeight = 400, kLeft = 64, kRight = 96, kTop = 20, kBottom = 52;
constexpr std::array<const char*, 6> kColours{"#0072b2", "#d55e00", "#00855f", "#9b4f96", "#7a5c00", "#5b6b7b"};
constexpr std::array<const char*, 3> kDashes{"none", "7 4", "2 4"};

/// 1, 2 or 5 times a power of ten, so that about `count` steps cover the span.
double round_step(double span, int count) {
  const double rough = span / count;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power) return factor * power;
  }
  return 10 * power;
}

struct Axis {
  double low = 0, high = 1, step = 0.2;

  static Axis around(double low, double high, double limit) {
    const bool positive = low >= 0;
    if (high - low < 1e-9) {
      low -= std::max(0.5, std::abs(low) * 0.05);
      high += std::max(0.5, std::abs(high) * 0.05);
    }
    low = positive ? std::max(0.0, low) : low;
    high = std::min(high, limit);
    const double step = round_step(high - low, 5);
    return {std::floor(low / step) * step, std::ceil(high / step - 1e-9) * step, step};
  }
  double at(double value, double from, double to) const { return from + (value - low) / (high - low) * (to - from); }
  int ticks() const { return static_cast<int>(std::lround((high - low) / step)); }
};

class Drawing {
 public:
  Drawing(const Chart& chart, bool standalone) : chart_(chart) {
    choose_axes();
    out_ = fmt::format(
        "<svg {}viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" font-family=\"sans-serif\" font-size=\"12\" {}>\n",
        standalone ? "xmlns=\"http://www.w3.org/2000/svg\" " : "", kWidth, kHeight, escaped(chart.title),
        standalone ? "fill=\"#222\" color=\"#222\"" : "fill=\"currentColor\"");
    out_ += fmt::format("<title>{}</title>\n", escaped(chart.title));
    if (standalone) out_ += fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#fff\"/>\n", kWidth, kHeight);
    draw_axes();
    for (std::size_t i = 0; i < chart.series.size(); ++i) draw(chart.series[i], i);
    out_ += "</svg>\n";
  }

  std::string text() { return std::move(out_); }

 private:
  void choose_axes() {
    if (chart_.unit_axes) return;
    std::vector<double> x, y;
    for (const auto& series : chart_.series) {
      for (const auto& point : series.points) {
        x.push_back(point.x);
        y.push_back(point.y);
      }
    }
    if (x.empty()) return;
    x_ = Axis::around(*std::ranges::min_element(x), *std::ranges::max_element(x), 1e300);
    y_ = Axis::around(*std::ranges::min_element(y), *std::ranges::max_element(y), chart_.y_limit);
  }

  double px(double x) const { return x_.at(x, kLeft, kWidth - kRight); }
  double py(double y) const { return y_.at(y, kHeight - kBottom, kTop); }

  void draw_axes() {
    const double bottom = kHeight - kBottom, right = kWidth - kRight;
    for (int i = 0; i <= x_.ticks(); ++i) {
      const double value = x_.low + i * x_.step;
      out_ += fmt::format(
          "<path d=\"M{0:.1f} {1}V{2}\" stroke=\"currentColor\" opacity=\".15\"/>"
          "<text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4:g}</text>\n",
          px(value), kTop, bottom, bottom + 18, std::round(value * 1e6) / 1e6);
    }
    for (int i = 0; i <= y_.ticks(); ++i) {
      const double value = y_.low + i * y_.step;
      out_ += fmt::format(
          "<path d=\"M{0} {1:.1f}H{2}\" stroke=\"currentColor\" opacity=\".15\"/>"
          "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:g}</text>\n",
          kLeft, py(value), right, kLeft - 8, py(value) + 4, std::round(value * 1e6) / 1e6);
    }
    out_ += fmt::format("<path d=\"M{0} {1}V{2}H{3}\" fill=\"none\" stroke=\"currentColor\"/>\n", kLeft, kTop, bottom, right);
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", (kLeft + right) / 2, kHeight - 12,
                        escaped(chart_.x_label));
    out_ += fmt::format("<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                        (kTop + bottom) / 2, escaped(chart_.y_label));
  }

  void draw(const Series& series, std::size_t number) {
    if (series.points.empty()) return;
    const char* colour = kColours[number % kColours.size()];
    std::string path;
    for (const auto& point : series.points) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", px(point.x), py(point.y));
    }
    out_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\"/>\n", path, colour,
                        kDashes[number % kDashes.size()]);
    for (const auto& point : series.points) {
      if (!series.markers) break;
      out_ += fmt::format("<circle cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"4\" fill=\"{2}\"/>", px(point.x), py(point.y), colour);
      if (!point.label.empty()) {
        out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"11\">{}</text>", px(point.x) + 6, py(point.y) - 6,
                            escaped(point.label));
      }
      out_ += "\n";
    }
    const ChartPoint& first = series.points.front();
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\" font-weight=\"bold\">{}</text>\n", px(first.x) + 8,
                        py(first.y) + 14, colour, escaped(series.name));
  }

  const Chart& chart_;
  Axis x_, y_;
  std::string out_;
};

}  // namespace

std::string chart_svg(const Chart& chart, bool standalone) { return Drawing(chart, standalone).text(); }

}  // namespace revisit::report

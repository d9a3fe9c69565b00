// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Series differ by colour (safe for colour-blind readers) and dash; the legend stands above the axes, where no curve can reach
// it.
#include "lab/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace revisit::report {
namespace {

constexpr double kWidth = 720, kPlotHeight = 330, kLeft = 64, kRight = 72, kTop = 16, kBottom = 52, kLegendLine = 22,
                 kBelowLegend = 8, kPale = 0.6;
constexpr std::array<Colour, 6> kColours{
    {{0, 114, 178}, {213, 94, 0}, {0, 133, 95}, {155, 79, 150}, {122, 92, 0}, {91, 107, 123}}};
const std::array<std::vector<double>, 3> kDashes{{{}, {7, 4}, {2, 4}}};

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

class Plot {
 public:
  explicit Plot(const Chart& chart) : chart_(chart) {
    const auto named = std::ranges::count_if(chart.series, [](const Series& s) { return !s.name.empty(); });
    top_ = kTop + kLegendLine * static_cast<double>(named) + kBelowLegend;
    bottom_ = top_ + kPlotHeight;
    out_ = {kWidth, bottom_ + kBottom, chart.title, {}};
    choose_axes();
    draw_axes();
    for (const bool beneath : {true, false}) {
      for (std::size_t i = 0; i < chart.series.size(); ++i) {
        if (chart.series[i].highlight == beneath) draw(chart.series[i], i);
      }
    }
  }

  Drawing take() { return std::move(out_); }

 private:
  void choose_axes() {
    if (chart_.unit_axes) return;
    std::vector<double> x, y;
    for (const auto& series : chart_.series) {
      for (const auto& point : series.points) {
        x.push_back(point.x);
        y.push_back(point.y);
        if (point.x_spread) x.insert(x.end(), {point.x_spread->low, point.x_spread->high});
      }
    }
    if (x.empty()) return;
    x_ = Axis::around(*std::ranges::min_element(x), *std::ranges::max_element(x), 1e300);
    y_ = Axis::around(*std::ranges::min_element(y), *std::ranges::max_element(y), chart_.y_limit);
  }

  Point place(const ChartPoint& point) const { return {x_.at(point.x, kLeft, kWidth - kRight), y_.at(point.y, bottom_, top_)}; }

  void line(std::vector<Point> points, double opacity = 1) {
    out_.shapes.emplace_back(Line{std::move(points), {}, 1, {}, opacity});
  }
  void words(Point at, std::string text, const TextStyle& style, std::optional<Colour> colour = {}) {
    out_.shapes.emplace_back(Words{at, std::move(text), style, colour});
  }

  void draw_axes() {
    const double right = kWidth - kRight;
    const auto name_of = [](double value) { return fmt::format("{:g}", std::round(value * 1e6) / 1e6); };
    for (int i = 0; i <= x_.ticks(); ++i) {
      const double value = x_.low + i * x_.step, x = x_.at(value, kLeft, right);
      line({{x, top_}, {x, bottom_}}, 0.15);
      words({x, bottom_ + 18}, name_of(value), {12, false, Anchor::kMiddle});
    }
    for (int i = 0; i <= y_.ticks(); ++i) {
      const double value = y_.low + i * y_.step, y = y_.at(value, bottom_, top_);
      line({{kLeft, y}, {right, y}}, 0.15);
      words({kLeft - 8, y + 4}, name_of(value), {12, false, Anchor::kEnd});
    }
    line({{kLeft, top_}, {kLeft, bottom_}, {right, bottom_}});
    words({(kLeft + right) / 2, bottom_ + 40}, chart_.x_label, {12, false, Anchor::kMiddle});
    words({16, (top_ + bottom_) / 2}, chart_.y_label, {12, false, Anchor::kMiddle, true});
  }

  void draw_spread(Spread spread, double y, Colour colour) {
    const double low = x_.at(spread.low, kLeft, kWidth - kRight), high = x_.at(spread.high, kLeft, kWidth - kRight);
    out_.shapes.emplace_back(Line{{{low, y}, {high, y}}, colour, 1, {}});
    for (const double end : {low, high}) out_.shapes.emplace_back(Line{{{end, y - 4}, {end, y + 4}}, colour, 1, {}});
  }

  /// Above or below the marker, and further away if another label is there: points of a curve may coincide. Labels of
  /// every other series start below: curves of a comparison run close to each other.
  void label(const std::string& text, Point at, bool above, Colour colour) {
    constexpr double kLabelWidth = 46, kLabelHeight = 11;
    constexpr std::array<double, 4> kShifts{-8, 17, -20, 29};
    const auto is_free = [&](Point place) {
      return std::ranges::none_of(labels_, [&](Point other) {
        return std::abs(other.x - place.x) < kLabelWidth && std::abs(other.y - place.y) < kLabelHeight;
      });
    };
    Point place{at.x + 6, at.y + kShifts[above ? 0 : 1]};
    for (std::size_t i = 0; i < kShifts.size() && !is_free(place); ++i) place.y = at.y + kShifts[i];
    labels_.push_back(place);
    words(place, text, {11}, colour);
  }

  static Disc marker(const Series& series, Point at, Colour colour) {
    return series.reference ? Disc{at, 2.5, colour, kPale} : Disc{at, 4, colour};
  }

  void draw(const Series& series, std::size_t number) {
    if (series.points.empty()) return;
    const Colour colour = kColours[number % kColours.size()];
    const auto& dash = kDashes[(number + number / kColours.size()) % kDashes.size()];
    const Line stroke = series.highlight   ? Line{{}, {}, 9, {}, 0.2}
                        : series.reference ? Line{{}, colour, 1, {4, 4}, kPale}
                                           : Line{{}, colour, 2, dash};
    Line curve = stroke;
    for (const auto& point : series.points) curve.points.push_back(place(point));
    out_.shapes.emplace_back(std::move(curve));
    for (const auto& point : series.points) {
      if (!series.markers) break;
      const Point at = place(point);
      if (point.x_spread) draw_spread(*point.x_spread, at.y, colour);
      out_.shapes.emplace_back(marker(series, at, colour));
      if (!point.label.empty()) label(point.label, at, number % 2 == 0, colour);
    }
    if (series.name.empty()) return;
    const double y = kTop + kLegendLine * static_cast<double>(legend_++);
    Line sample = stroke;
    sample.points = {{kLeft, y}, {kLeft + 28, y}};
    out_.shapes.emplace_back(std::move(sample));
    if (series.markers) out_.shapes.emplace_back(marker(series, {kLeft + 14, y}, colour));
    words({kLeft + 36, y + 4}, series.name, {12, true}, stroke.colour);
  }

  const Chart& chart_;
  double top_ = kTop, bottom_ = 0;
  int legend_ = 0;
  std::vector<Point> labels_;  // where their text begins
  Axis x_, y_;
  Drawing out_;
};

}  // namespace

Drawing draw_chart(const Chart& chart) { return Plot(chart).take(); }

}  // namespace revisit::report

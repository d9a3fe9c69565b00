// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Two panels with one axis of steps: the loss (each step pale, their running mean dark) above, R@1 by rho below.
#include "training/train/curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace revisit::train {
namespace {

constexpr double kWidth = 860, kHeight = 560, kLeft = 70, kRight = 130, kPanel = 200, kTop = 50, kGap = 60;
constexpr std::size_t kMostPoints = 800;  // more points would not show
// Distinct for colour-blind readers too.
constexpr std::array<const char*, 6> kColours{"#00855f", "#d55e00", "#0072b2", "#8a5a9e", "#b08900", "#5b6b7b"};

struct Point {
  double x = 0, y = 0;
};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

/// 1, 2 or 5 times a power of ten, so that about `wanted` of them fit.
double nice_step(double range, int wanted) {
  const double rough = std::max(range, 1e-12) / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power) return factor * power;
  }
  return 10 * power;
}

/// One of the two panels: a box, axes and what is drawn in data coordinates.
class Panel {
 public:
  Panel(std::string& out, double top, double steps, double low, double high)
      : out_(out), top_(top), steps_(std::max(1.0, steps)), low_(low), high_(high) {}

  void axes(const std::string& label, const char* format_of_y) {
    out_ +=
        fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="#c8d0d8"/>)", kLeft, top_, inner(), kPanel);
    const double step = nice_step(high_ - low_, 5);
    const auto first = static_cast<int>(std::ceil(low_ / step - 1e-9)), last = static_cast<int>(std::floor(high_ / step + 1e-9));
    for (int i = first; i <= last; ++i) {
      const double y = i * step;
      out_ += fmt::format(R"(<line x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}" stroke="#eceff2"/>)", kLeft, kLeft + inner(), y_of(y),
                          y_of(y));
      text(kLeft - 8, y_of(y) + 4, "end", fmt::format(fmt::runtime(format_of_y), y), "#5b6b7b");
    }
    const double across = std::max(1.0, nice_step(steps_, 8));
    for (double x = 0; x <= steps_ + 1e-9; x += across)
      text(x_of(x), top_ + kPanel + 18, "middle", fmt::format("{:.0f}", x), "#5b6b7b");
    text(kLeft, top_ - 10, "start", label, "#222222");
  }

  void line(const std::vector<Point>& points, const char* colour, double width, double opacity) {
    if (points.size() < 2) return;
    std::string path;
    for (const auto& [x, y] : points) path += fmt::format("{:.1f},{:.1f} ", x_of(x), y_of(std::clamp(y, low_, high_)));
    out_ += fmt::format(
        R"(<polyline points="{}" fill="none" stroke="{}" stroke-width="{}" stroke-opacity="{}" stroke-linejoin="round"/>)", path,
        colour, width, opacity);
  }

  void dots(const std::vector<Point>& points, const char* colour) {
    for (const auto& [x, y] : points)
      out_ += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3" fill="{}"/>)", x_of(x), y_of(y), colour);
  }

  /// Beside the panel, the k-th from above.
  void legend(int k, const std::string& words, const char* colour) {
    const double y = top_ + 14 + 20 * k, x = kLeft + inner() + 12;
    out_ +=
        fmt::format(R"(<line x1="{}" x2="{}" y1="{}" y2="{}" stroke="{}" stroke-width="3"/>)", x, x + 16, y - 4, y - 4, colour);
    text(x + 22, y, "start", words, "#222222");
  }

 private:
  static double inner() { return kWidth - kLeft - kRight; }
  double x_of(double step) const { return kLeft + inner() * step / steps_; }
  double y_of(double value) const { return top_ + kPanel * (1 - (value - low_) / (high_ - low_)); }
  void text(double x, double y, const char* anchor, const std::string& words, const char* colour) {
    out_ +=
        fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}" fill="{}">{}</text>)", x, y, anchor, colour, escaped(words));
  }

  std::string& out_;
  double top_, steps_, low_, high_;
};

/// Neighbours averaged until at most kMostPoints are left.
std::vector<Point> thinned(const std::vector<LoggedStep>& steps) {
  const std::size_t each = steps.size() / kMostPoints + 1;
  std::vector<Point> out;
  for (std::size_t begin = 0; begin < steps.size(); begin += each) {
    const std::size_t end = std::min(steps.size(), begin + each);
    Point mean;
    for (std::size_t i = begin; i < end; ++i) {
      mean.x += static_cast<double>(steps[i].step);
      mean.y += steps[i].loss;
    }
    out.push_back({mean.x / static_cast<double>(end - begin), mean.y / static_cast<double>(end - begin)});
  }
  return out;
}

/// Exponential running mean over about a twentieth of the run, corrected for its start.
std::vector<Point> smoothed(const std::vector<Point>& points) {
  const double keep = 1 - 1 / std::max(1.0, static_cast<double>(points.size()) / 20);
  double sum = 0, weight = 0;
  std::vector<Point> out;
  for (const auto& [x, y] : points) {
    sum = keep * sum + (1 - keep) * y;
    weight = keep * weight + (1 - keep);
    out.push_back({x, sum / weight});
  }
  return out;
}

void draw_loss(std::string& out, const History& history, double steps) {
  const auto points = thinned(history.steps);
  double low = points.empty() ? 0 : points.front().y, high = low;
  for (const auto& point : points) {
    low = std::min(low, point.y);
    high = std::max(high, point.y);
  }
  if (low < high / 2) low = 0;  // otherwise the curve would be squeezed into the upper part
  const double margin = high > low ? 0.05 * (high - low) : 0.5;
  Panel panel(out, kTop, steps, std::max(0.0, low - margin), high + margin);
  panel.axes("loss", "{:.3g}");
  panel.line(points, kColours[2], 1, 0.35);
  panel.line(smoothed(points), kColours[2], 2, 1);
  panel.legend(0, "each step", "#b3d0e4");
  panel.legend(1, "running mean", kColours[2]);
}

void draw_recall(std::string& out, const History& history, double steps) {
  Panel panel(out, kTop + kPanel + kGap, steps, 0, 100);
  panel.axes("R@1 on validation, percent", "{:.0f}");
  if (history.validations.empty()) return;
  const std::size_t rhos = history.validations.front().recalls.size();
  for (std::size_t r = 0; r < rhos; ++r) {
    std::vector<Point> points;
    for (const auto& [step, recalls] : history.validations) {
      if (r < recalls.size()) points.push_back({static_cast<double>(step), recalls[r].at1});
    }
    const char* colour = kColours[r % kColours.size()];
    panel.line(points, colour, 2, 1);
    panel.dots(points, colour);
    panel.legend(static_cast<int>(r),
                 fmt::format("rho {:g}: {:.1f}", history.validations.front().recalls[r].rho, points.back().y), colour);
  }
}

}  // namespace

std::string draw_curve(const History& history, const std::string& title) {
  double steps = 1;
  if (!history.steps.empty()) steps = std::max(steps, static_cast<double>(history.steps.back().step));
  if (!history.validations.empty()) steps = std::max(steps, static_cast<double>(history.validations.back().step));
  std::string out = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" width="{}" height="{}" font-family="sans-serif" font-size="12" role="img" aria-label="{}">)",
      kWidth, kHeight, kWidth, kHeight, escaped(title));
  out += fmt::format(R"(<rect width="{}" height="{}" fill="#ffffff"/>)", kWidth, kHeight);
  out += fmt::format(R"(<text x="{}" y="20" font-size="14" font-weight="bold" fill="#222222">{}</text>)", kLeft, escaped(title));
  draw_loss(out, history, steps);
  draw_recall(out, history, steps);
  out += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle" fill="#222222">steps</text>)",
                     kLeft + (kWidth - kLeft - kRight) / 2, kTop + 2 * kPanel + kGap + 38);
  return out + "</svg>\n";
}

}  // namespace revisit::train

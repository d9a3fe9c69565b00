// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Drawings of results: a line chart and a map of matches.
#pragma once

#include <string>
#include <vector>

#include "lab/report/drawing.h"
#include "revisit/lab/report.h"

namespace revisit::report {

struct Spread {
  double low = 0, high = 0;
};

struct ChartPoint {
  double x = 0;
  double y = 0;
  std::string label;                 ///< beside the marker, may be empty
  std::optional<Spread> x_spread{};  ///< a thin bar through the marker
};

struct Series {
  std::string name;                ///< in the legend; empty: none
  std::vector<ChartPoint> points;  ///< joined in this order
  bool markers = true;
  bool highlight = false;  ///< a broad pale line beneath all others
  bool reference = false;  ///< numbers of others: a thin pale dashed line
};

struct Chart {
  std::string title;  ///< read aloud by screen readers, not drawn
  std::string x_label;
  std::string y_label;
  std::vector<Series> series;
  bool unit_axes = false;  ///< both axes from 0 to 1 instead of around the data
  double y_limit = 1e300;  ///< the axis does not go beyond it, nor below 0 when no value does
};

Drawing draw_chart(const Chart& chart);

/// References as dots, a line from every query to its first match. Nothing when no query and match have positions.
std::optional<Drawing> draw_map(const RunReport& report);

}  // namespace revisit::report

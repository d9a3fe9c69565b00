// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// North is up, metres are equal both ways. Right and wrong matches differ by colour and by dash.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/report/chart.h"

namespace revisit::report {
namespace {

constexpr double kMapWidth = 720, kMargin = 24, kMaxHeight = 560, kScaleBar = 28;
constexpr std::size_t kMaxDots = 4000;  // references drawn; more would only make the page slow
constexpr std::size_t kMaxLines = 3000;

struct Bounds {
  double west = std::numeric_limits<double>::infinity(), east = -west, south = west, north = -west;

  void add(const Position& at) {
    west = std::min(west, at.east_m);
    east = std::max(east, at.east_m);
    south = std::min(south, at.north_m);
    north = std::max(north, at.north_m);
  }
};

struct Link {
  const Position* query;
  const Position* match;
  Colour colour;
  bool wrong;
};

std::vector<Link> links_of(const RunReport& report) {
  std::vector<Link> out;
  for (std::size_t q = 0; q < report.matches.size(); ++q) {
    const auto& query = report.dataset.queries[q].position;
    if (!query || report.matches[q].empty()) continue;
    const int row = report.matches[q].front().row;
    const auto& match = report.dataset.references[static_cast<std::size_t>(row)].position;
    if (!match) continue;
    const bool labelled = report.dataset.labelled;
    const bool right = report.right(static_cast<int>(q));
    out.push_back({&*query, &*match, !labelled ? kGrey : right ? kRightColour : kWrongColour, labelled && !right});
  }
  // Wrong matches reach across the map: drawn first, they leave the right ones visible.
  std::ranges::stable_sort(out, std::greater<>{}, &Link::wrong);
  return out;
}

double round_length(double metres) {
  const double power = std::pow(10.0, std::floor(std::log10(metres)));
  for (const double factor : {5.0, 2.0}) {
    if (factor * power <= metres) return factor * power;
  }
  return power;
}

}  // namespace

std::optional<Drawing> draw_map(const RunReport& report) {
  const auto links = links_of(report);
  if (links.empty()) return std::nullopt;
  Bounds bounds;
  for (const auto* photos : {&report.dataset.queries, &report.dataset.references}) {
    for (const auto& photo : *photos) {
      if (photo.position) bounds.add(*photo.position);
    }
  }
  const double span_x = std::max(1.0, bounds.east - bounds.west), span_y = std::max(1.0, bounds.north - bounds.south);
  const double scale = std::min((kMapWidth - 2 * kMargin) / span_x, (kMaxHeight - 2 * kMargin) / span_y);
  const double height = span_y * scale + 2 * kMargin + kScaleBar;
  const double left = (kMapWidth - span_x * scale) / 2;  // a tall map is centred
  const auto place = [&](const Position& at) {
    return Point{left + (at.east_m - bounds.west) * scale, kMargin + (bounds.north - at.north_m) * scale};
  };

  Drawing out{kMapWidth, height, "Map of matches, north up", {}};
  const auto& references = report.dataset.references;
  const std::size_t every = references.size() / kMaxDots + 1;
  for (std::size_t i = 0; i < references.size(); i += every) {
    if (references[i].position) out.shapes.emplace_back(Disc{place(*references[i].position), 2.5, {}, 0.35});
  }
  const std::size_t every_link = links.size() / kMaxLines + 1;
  for (std::size_t i = 0; i < links.size(); i += every_link) {
    const Link& link = links[i];
    out.shapes.emplace_back(Line{{place(*link.query), place(*link.match)},
                                 link.colour,
                                 1.5,
                                 link.wrong ? std::vector<double>{5, 4} : std::vector<double>{}});
    out.shapes.emplace_back(Disc{place(*link.query), 4, link.colour});
  }
  const double bar_m = round_length(kMapWidth / 4 / scale);
  out.shapes.emplace_back(Line{{{kMargin, height - 24}, {kMargin + bar_m * scale, height - 24}}, {}, 3, {}, 1});
  out.shapes.emplace_back(
      Words{{kMargin, height - 8}, bar_m < 10000 ? fmt::format("{:g} m", bar_m) : fmt::format("{:g} km", bar_m / 1000), {}, {}});
  return out;
}

}  // namespace revisit::report

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// North is up, metres are equal both ways. Right and wrong matches differ by colour and by dash.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/chart.h"

namespace revisit::report {
namespace {

constexpr double kWidth = 720, kMargin = 24, kMaxHeight = 720;
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
  const char* colour;
  const char* dash;
};

std::vector<Link> links_of(const RunReport& report) {
  std::vector<Link> out;
  for (std::size_t q = 0; q < report.matches.size(); ++q) {
    const auto& query = report.dataset.queries[q].position;
    if (!query || report.matches[q].empty()) continue;
    const int row = report.matches[q].front().row;
    const auto& match = report.dataset.references[static_cast<std::size_t>(row)].position;
    if (!match) continue;
    if (!report.dataset.labelled) {
      out.push_back({&*query, &*match, kUnknownColour, "none"});
    } else {
      const bool right = std::ranges::binary_search(report.dataset.positives[q], row);
      out.push_back({&*query, &*match, right ? kRightColour : kWrongColour, right ? "none" : "5 4"});
    }
  }
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

std::string map_svg(const RunReport& report) {
  const auto links = links_of(report);
  if (links.empty()) return {};
  Bounds bounds;
  for (const auto* photos : {&report.dataset.queries, &report.dataset.references}) {
    for (const auto& photo : *photos) {
      if (photo.position) bounds.add(*photo.position);
    }
  }
  const double span_x = std::max(1.0, bounds.east - bounds.west), span_y = std::max(1.0, bounds.north - bounds.south);
  const double scale = std::min((kWidth - 2 * kMargin) / span_x, (kMaxHeight - 2 * kMargin) / span_y);
  const double height = span_y * scale + 2 * kMargin + 28;
  const auto px = [&](const Position& at) { return kMargin + (at.east_m - bounds.west) * scale; };
  const auto py = [&](const Position& at) { return kMargin + (bounds.north - at.north_m) * scale; };

  std::string out = fmt::format(
      "<svg viewBox=\"0 0 {} {:.0f}\" role=\"img\" aria-label=\"Map of matches\" font-family=\"sans-serif\" font-size=\"12\" "
      "fill=\"currentColor\">\n<title>Map of matches, north up</title>\n<g fill=\"currentColor\" opacity=\".35\">\n",
      kWidth, height);
  const auto& references = report.dataset.references;
  const std::size_t every = references.size() / kMaxDots + 1;
  for (std::size_t i = 0; i < references.size(); i += every) {
    if (!references[i].position) continue;
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\"/>", px(*references[i].position), py(*references[i].position));
  }
  out += "\n</g>\n";
  const std::size_t every_link = links.size() / kMaxLines + 1;
  for (std::size_t i = 0; i < links.size(); i += every_link) {
    const auto& link = links[i];
    out += fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}L{2:.1f} {3:.1f}\" stroke=\"{4}\" stroke-width=\"1.5\" stroke-dasharray=\"{5}\"/>"
        "<circle cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"3.5\" fill=\"{4}\"/>\n",
        px(*link.query), py(*link.query), px(*link.match), py(*link.match), link.colour, link.dash);
  }
  const double bar_m = round_length(kWidth / 4 / scale);
  out += fmt::format(
      "<path d=\"M{0} {1:.1f}h{2:.1f}\" stroke=\"currentColor\" stroke-width=\"3\"/><text x=\"{0}\" y=\"{3:.1f}\">{4:g} "
      "m</text>\n</svg>\n",
      kMargin, height - 24, bar_m * scale, height - 8, bar_m);
  return out;
}

}  // namespace revisit::report

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Titles above, colour scale below, so that pictures of one row stand on one line.
#include "lab/report/sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/fail.h"

namespace revisit::report {
namespace {

constexpr double kGap = 16, kTitle = 40, kTitleLine = 16, kSubtitleLine = 32, kScale = 28, kBar = 8;

void draw_scale(Canvas& canvas, Point corner, double width, Range range) {
  constexpr int kSteps = 64;
  for (int i = 0; i < kSteps; ++i) {  // one pixel of overlap, so that no seam shows
    canvas.rectangle({corner.x + width * i / kSteps, corner.y}, width / kSteps + 1, kBar, heat_colour((i + 0.5) / kSteps));
  }
  canvas.rectangle({corner.x + width, corner.y}, 2, kBar, kWhite);
  canvas.text({corner.x, corner.y + kBar + 13}, fmt::format("{:.3g}", range.low), kInk, {11});
  canvas.text({corner.x + width, corner.y + kBar + 13}, fmt::format("{:.3g}", range.high), kInk, {11, false, Anchor::kEnd});
}

}  // namespace

Image draw_sheet(const std::vector<std::vector<Panel>>& rows) {
  if (rows.empty() || rows.front().empty()) fail(ErrorCode::kUsage, "a sheet without a picture cannot be drawn");
  const Image& first = rows.front().front().image;
  std::size_t columns = 0;
  double height = kGap;
  const auto has_scale = [](const std::vector<Panel>& row) {
    return std::ranges::any_of(row, [](const Panel& p) { return p.scale.has_value(); });
  };
  for (const auto& row : rows) {
    columns = std::max(columns, row.size());
    height += kTitle + first.height + (has_scale(row) ? kScale : 0) + kGap;
  }
  Canvas canvas(kGap + static_cast<double>(columns) * (first.width + kGap), height);
  double top = kGap;
  for (const auto& row : rows) {
    double left = kGap;
    for (const auto& panel : row) {
      canvas.text({left, top + kTitleLine - 4}, panel.title, kInk, {14, true});
      canvas.text({left, top + kSubtitleLine - 3}, panel.line, kGrey, {12});
      canvas.paste(panel.image, {left, top + kTitle});
      if (panel.scale) draw_scale(canvas, {left, top + kTitle + first.height + 4}, first.width, *panel.scale);
      left += first.width + kGap;
    }
    top += kTitle + first.height + (has_scale(row) ? kScale : 0) + kGap;
  }
  return canvas.image();
}

Image fitted(const Image& photo, int side) {
  const double fit = static_cast<double>(side) / std::max(photo.width, photo.height);
  const auto scaled = [&](int pixels) { return std::max(1, static_cast<int>(std::lround(fit * pixels))); };
  return resize(photo, {scaled(photo.height), scaled(photo.width)}, ResizeFilter::kBilinear);
}

}  // namespace revisit::report

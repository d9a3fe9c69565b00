// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// preds/000.jpg: squares of 512 pixels on white, 50 apart, each match in a frame of 20 with its verdict in words above. Many of
// them go on in further rows: no picture library handles a row of a hundred.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/fail.h"
#include "core/base/file.h"
#include "core/formats/escape.h"
#include "lab/report/canvas.h"
#include "lab/report/text.h"
#include "lab/report/thumbnail.h"
#include "revisit/lab/report.h"

namespace revisit {
namespace report {
namespace {

constexpr int kSquare = 512, kGap = 50, kFrame = 20, kRowLength = 10, kMaxShown = 100;
constexpr double kPicturesTop = 60, kCaptionBaseline = 44, kCaptionSize = 38;

struct Tile {
  const Photo* photo;
  std::string caption;
  std::optional<Colour> frame;
};

Image draw(const std::vector<Tile>& tiles, Orientation orientation) {
  const int count = static_cast<int>(tiles.size());
  const int columns = std::min(count, kRowLength), rows = (count + kRowLength - 1) / kRowLength;
  constexpr double kRowHeight = kPicturesTop + kSquare;
  Canvas canvas(columns * (kSquare + kGap) - kGap, rows * (kRowHeight + kGap) - kGap);
  for (int i = 0; i < count; ++i) {
    const Tile& tile = tiles[static_cast<std::size_t>(i)];
    const double left = i % kRowLength * (kSquare + kGap), above = i / kRowLength * (kRowHeight + kGap);
    const double top = above + kPicturesTop;
    canvas.text({left, above + kCaptionBaseline}, tile.caption, kInk, {kCaptionSize});
    const int frame = tile.frame ? kFrame : 0, inside = kSquare - 2 * frame;
    if (tile.frame) {
      canvas.rectangle({left, top}, kSquare, kSquare, *tile.frame);
      canvas.rectangle({left + frame, top + frame}, inside, inside, kWhite);
    }
    if (const auto image = load_fitting(*tile.photo, orientation, inside, inside, true)) {
      const int x = frame + (inside - image->width) / 2, y = frame + (inside - image->height) / 2;  // whole: no resampling
      canvas.paste(*image, {left + x, top + y});
    }
  }
  return canvas.image();
}

std::string paths_of(const RunReport& report, std::size_t q, std::size_t count) {
  const auto line_of = [](const Photo& photo) { return escaped_bytes(photo.path.string()) + "\n"; };
  const auto path_of = [&](int row) { return line_of(report.dataset.references[static_cast<std::size_t>(row)]); };
  std::string out = "Query path:\n" + line_of(report.dataset.queries[q]) + "\nPredictions paths:\n";
  for (std::size_t i = 0; i < count; ++i) out += path_of(report.matches[q][i].row);
  if (report.dataset.labelled) {
    out += "\nPositives paths:\n";
    for (const int row : report.dataset.positives[q]) out += path_of(row);
  }
  return out;
}

}  // namespace
}  // namespace report

int write_prediction_pictures(const std::filesystem::path& folder, const RunReport& report, int count, bool only_wrong) {
  if (count < 0 || count > report::kMaxShown)
    fail(ErrorCode::kUsage, "{} matches per picture, but 0 to {} can be shown", count, report::kMaxShown);
  report::make_folder(folder);
  int written = 0;
  for (std::size_t q = 0; q < report.matches.size(); ++q) {
    const auto& found = report.matches[q];
    const auto verdict = [&](int row) { return report.verdict(static_cast<int>(q), row); };
    if (found.empty() || (only_wrong && report.dataset.labelled && verdict(found.front().row).value_or(true))) continue;
    const auto shown = std::min(found.size(), static_cast<std::size_t>(count));
    std::vector<report::Tile> tiles{{&report.dataset.queries[q], "Query", std::nullopt}};
    for (std::size_t i = 0; i < shown; ++i) {
      const auto right = verdict(found[i].row);
      tiles.push_back({&report.dataset.references[static_cast<std::size_t>(found[i].row)],
                       right ? fmt::format("Pred{} - {}", i, *right ? "True" : "False") : fmt::format("Pred{}", i),
                       right ? (*right ? report::kRightColour : report::kWrongColour) : report::kGrey});
    }
    const auto stem = folder / fmt::format("{:03}", q);
    AtomicFile picture(stem.string() + ".jpg");
    picture.write(encode_jpeg(report::draw(tiles, orientation_of(report.run.spec)), 90));
    picture.commit();
    report::write_text(stem.string() + ".txt", report::paths_of(report, q, shown));
    ++written;
  }
  return written;
}

}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Photos as JPEG data in the SVG; places are shares of their sides, so it does not matter how large they are drawn.
#include "lab/report/agreement_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "lab/report/patch_map.h"
#include "lab/report/text.h"

namespace revisit::report {
namespace {

constexpr int kBetween = 12, kJpegQuality = 80;
constexpr std::size_t kLines = 40;  // more hide the photos
constexpr double kSides = 65'536;

std::string photo_at(const Image& image, int x, int y) {
  return fmt::format("<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" href=\"data:image/jpeg;base64,{}\"/>\n", x, y,
                     image.width, image.height, base64(encode_jpeg(image, kJpegQuality)));
}

/// The pairs that are joined by a line.
std::vector<bool> joined(const std::vector<PatchPair>& pairs) {
  std::vector<std::size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t i) { return pairs[i].similarity; });
  std::vector<bool> out(pairs.size(), false);
  for (std::size_t i = 0; i < std::min(kLines, order.size()); ++i) out[order[i]] = true;
  return out;
}

}  // namespace

std::string agreement_svg(const Image& query, const Image& reference, const SecondLook& look) {
  const int width = query.width + kBetween + reference.width, height = std::max(query.height, reference.height);
  std::string out = fmt::format("<svg class=\"agree\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{} patches agree\">\n",
                                width, height, look.pairs.size());
  out += photo_at(query, 0, 0) + photo_at(reference, query.width + kBetween, 0);
  const std::vector<bool> lines = joined(look.pairs);
  for (std::size_t i = 0; i < look.pairs.size(); ++i) {
    const PatchPair& pair = look.pairs[i];
    const double x1 = pair.from.x / kSides * query.width, y1 = pair.from.y / kSides * query.height;
    const double x2 = query.width + kBetween + pair.to.x / kSides * reference.width, y2 = pair.to.y / kSides * reference.height;
    const Colour colour = heat_colour(0.35 + 0.6 * pair.from.x / kSides);
    const std::string paint = fmt::format("rgb({},{},{})", colour.r, colour.g, colour.b);
    if (lines[i]) {
      out += fmt::format(
          "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"1\" "
          "stroke-opacity=\".75\"/>\n",
          x1, y1, x2, y2, paint);
    }
    for (const auto& [x, y] : {std::pair(x1, y1), std::pair(x2, y2)}) {
      out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\" fill=\"{}\" stroke=\"#000\" stroke-width=\".4\"/>\n", x, y,
                         paint);
    }
  }
  return out + "</svg>\n";
}

}  // namespace revisit::report

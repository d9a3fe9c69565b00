// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One warm-up, then a forward pass for each photo.
#include "lab/study/compare_cost.h"

#include <fmt/format.h>

#include "core/base/fail.h"
#include "core/base/stop_scope.h"
#include "engine/budget/timing.h"

namespace revisit::study {
namespace {

constexpr std::size_t kTimedPhotos = 11;

std::vector<Image> first_readable(const std::vector<Photo>& photos, const DecodeOptions& options) {
  std::vector<Image> out;
  for (std::size_t i = 0; i < photos.size() && out.size() < kTimedPhotos; ++i) {
    check_stop();
    try {
      out.push_back(load_image(photos[i].path, options));
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kInterrupted) throw;  // the others are named where all photos are described
    }
  }
  if (out.empty()) fail(ErrorCode::kBadImage, "none of the {} queries can be read, so nothing can be timed", photos.size());
  return out;
}

}  // namespace

CompareCost measure_cost(Extractor& extractor, const std::vector<Photo>& photos) {
  const auto images = first_readable(photos, decoding_of(extractor.spec()));
  extractor.describe(images.front());  // warm-up
  std::vector<double> ms;
  CompareCost out;
  for (const Image& image : images) {
    check_stop();
    extractor.describe(image);
    const StageTimes times = extractor.last_times();
    ms.push_back(times.blocks_ms + times.prune_ms + times.aggregate_ms);
    out.gmac += extractor.gmac() / static_cast<double>(images.size());
  }
  out.ms_per_image = timing_quantile(ms, 0.5);
  return out;
}

}  // namespace revisit::study

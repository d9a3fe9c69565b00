// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Many photos through one extractor. The next photo is decoded while one is described.
#include <algorithm>

#include "core/base/fail.h"
#include "recognise/ingest/decode_ahead.h"
#include "recognise/ingest/describe_each.h"
#include "revisit/ingest.h"

namespace revisit {
namespace {

/// The value with this share of all values below it, 0 for no values.
double quantile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  const auto rank = std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::ranges::nth_element(values, at);
  return *at;
}

}  // namespace

DescribedPhotos describe_each(const std::vector<Photo>& photos, int dim, const DescriptorSpec& spec, const DescribeOne& describe,
                              const std::function<bool(int, int)>& progress) {
  DescribedPhotos out;
  out.dim = dim;
  const auto width = static_cast<std::size_t>(dim);
  out.rows.assign(photos.size() * width, 0.0F);
  std::vector<double> forward_ms, end_to_end_ms;
  DecodeAhead decoded(photos.size(), [&](std::size_t i) { return photos[i].path; }, orientation_of(spec));
  for (std::size_t i = 0; i < photos.size(); ++i) {
    const DecodedPhoto photo = decoded.next();
    if (const auto* skipped = std::get_if<Skipped>(&photo.content)) {
      out.skipped.push_back(*skipped);
      out.skipped_rows.push_back(static_cast<int>(i));
    } else {
      if (!photo.note.empty()) out.notes.push_back(photo.note);
      StageTimes times;
      const auto row = describe(std::get<Image>(photo.content), times);
      std::ranges::copy(row, out.rows.begin() + static_cast<std::ptrdiff_t>(i * width));
      forward_ms.push_back(times.blocks_ms + times.prune_ms + times.aggregate_ms);
      end_to_end_ms.push_back(photo.ms + times.preprocess_ms + forward_ms.back());
    }
    if (progress && !progress(static_cast<int>(i) + 1, static_cast<int>(photos.size()))) {
      fail(ErrorCode::kInterrupted, "stopped after {} of {} photos", i + 1, photos.size());
    }
  }
  out.median_forward_ms = quantile(forward_ms, 0.5);
  out.forward_ms_p5 = quantile(forward_ms, 0.05);
  out.forward_ms_p95 = quantile(forward_ms, 0.95);
  out.median_end_to_end_ms = quantile(end_to_end_ms, 0.5);
  return out;
}

DescribedPhotos describe_photos(Extractor& extractor, const std::vector<Photo>& photos,
                                const std::function<bool(int, int)>& progress) {
  const auto describe = [&](const Image& image, StageTimes& times) {
    std::vector<float> out = extractor.describe(image);
    times = extractor.last_times();
    return out;
  };
  return describe_each(photos, extractor.descriptor_dim(), extractor.spec(), describe, progress);
}

}  // namespace revisit

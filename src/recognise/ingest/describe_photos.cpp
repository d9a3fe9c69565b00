// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Many photos through one extractor or several.
#include <algorithm>

#include "core/base/fail.h"
#include "recognise/ingest/decode_ahead.h"
#include "recognise/ingest/describe_each.h"
#include "revisit/ingest.h"

namespace revisit {
namespace {

constexpr int kTimed = 30;  // photos described by all threads, whose times are the latency, before another way is tried

/// The rows and times of one describer, photo by photo.
class Rows {
 public:
  Rows(const Describer& describer, std::size_t count, bool local) : describer_(describer) {
    out_.dim = describer.dim;
    if (local) out_.local.resize(count);
    out_.rows.assign(count * width(), 0.0F);
  }

  bool wants_local() const { return !out_.local.empty(); }

  void set(std::size_t photo, const std::vector<float>& row, const StageTimes& times, LocalFeatures local) {
    if (wants_local()) out_.local[photo] = std::move(local);
    ++described_;
    kept_ += times.kept;
    std::ranges::copy(row, out_.rows.begin() + static_cast<std::ptrdiff_t>(photo * width()));
  }

  /// `disturbed`: others are being described at the same time, so that it takes longer than alone.
  void describe(std::size_t photo, const Image& image, double decode_ms, bool disturbed) {
    StageTimes times;
    LocalFeatures local;
    const std::vector<float> row = describer_.describe(image, times, wants_local() ? &local : nullptr);
    set(photo, row, times, std::move(local));
    if (disturbed) return;
    forward_ms_.push_back(forward_ms(times));
    end_to_end_ms_.push_back(decode_ms + times.preprocess_ms + forward_ms_.back());
  }

  /// What is not about descriptors is as in `shared`.
  DescribedPhotos finish(const DescribedPhotos& shared) {
    out_.skipped = shared.skipped;
    out_.skipped_rows = shared.skipped_rows;
    out_.notes = shared.notes;
    out_.median_forward_ms = quantile(forward_ms_, 0.5);
    out_.forward_ms_p5 = quantile(forward_ms_, 0.05);
    out_.forward_ms_p95 = quantile(forward_ms_, 0.95);
    if (described_ > 0) out_.mean_kept = kept_ / described_;
    out_.median_end_to_end_ms = quantile(end_to_end_ms_, 0.5);
    return std::move(out_);
  }

 private:
  std::size_t width() const { return static_cast<std::size_t>(out_.dim); }

  const Describer& describer_;
  DescribedPhotos out_;
  std::vector<double> forward_ms_, end_to_end_ms_;
  int described_ = 0;
  double kept_ = 0;  // sum of shares
};

struct Prepared {
  DecodedPhoto photo;
  std::vector<float> row{};  // when it is described already
  LocalFeatures local{};
  StageTimes times{};
};

Prepared prepare(const std::filesystem::path& path, const DecodeOptions& decoding, Crew& crew, bool local) {
  const Room::Guest guest(crew.room());
  Prepared out{decode_photo(path, decoding)};
  if (auto* image = std::get_if<Image>(&out.photo.content); image != nullptr && crew.apart()) {
    out.row = crew.describe_apart(*image, out.times, local ? &out.local : nullptr);
    *image = {};
  }
  return out;
}

}  // namespace

double quantile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  const auto rank = std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::ranges::nth_element(values, at);
  return *at;
}

std::vector<DescribedPhotos> describe_each(const std::vector<Photo>& photos, const DecodeOptions& decoding,
                                           const std::vector<Describer>& describers,
                                           const std::function<bool(int, int)>& progress, bool local) {
  std::vector<Rows> rows;
  for (const auto& describer : describers) rows.emplace_back(describer, photos.size(), local);
  DescribedPhotos shared;
  Describer describer = describers.front();
  if (describers.size() > 1) describer.alone = nullptr;
  Crew crew(std::move(describer), photos.size(), kTimed);
  Prefetch<Prepared> loaded(photos.size(), [&](std::size_t i) { return prepare(photos[i].path, decoding, crew, local); });
  for (std::size_t i = 0; i < photos.size(); ++i) {
    Prepared next = std::move(*loaded.next());
    const DecodedPhoto& photo = next.photo;
    if (const auto* skipped = std::get_if<Skipped>(&photo.content)) {
      shared.skipped.push_back(*skipped);
      shared.skipped_rows.push_back(static_cast<int>(i));
    } else {
      if (!photo.note.empty()) shared.notes.push_back(photo.note);
      if (!next.row.empty()) rows.front().set(i, next.row, next.times, std::move(next.local));
      // Each is the first as often as the others: the first one shares the machine with the decoding of the next photo.
      for (std::size_t turn = 0; turn < rows.size() && next.row.empty(); ++turn) {
        rows[(i + turn) % rows.size()].describe(i, std::get<Image>(photo.content), photo.ms, crew.apart());
      }
      if (next.row.empty()) crew.described_together();
    }
    crew.set_pace(loaded);
    if (progress && !progress(static_cast<int>(i) + 1, static_cast<int>(photos.size()))) {
      fail(ErrorCode::kInterrupted, "stopped after {} of {} photos", i + 1, photos.size());
    }
  }
  std::vector<DescribedPhotos> out;
  for (auto& one : rows) out.push_back(one.finish(shared));
  return out;
}

DescribedPhotos describe_photos(Extractor& extractor, const std::vector<Photo>& photos,
                                const std::function<bool(int, int)>& progress, bool local) {
  return std::move(describe_each(photos, decoding_of(extractor.spec()), {describer_of(extractor)}, progress, local).front());
}

std::vector<DescribedPhotos> describe_photos(std::span<Extractor> extractors, const std::vector<Photo>& photos,
                                             const std::function<bool(int, int)>& progress) {
  if (extractors.empty()) return {};
  const DecodeOptions decoding = decoding_of(extractors.front().spec());
  std::vector<Describer> describers;
  for (auto& extractor : extractors) {
    if (decoding_of(extractor.spec()) != decoding) {
      fail(ErrorCode::kUsage,
           "extractors that describe the same photos must agree in `orientation`, `decode` and, where that is fast, `size`");
    }
    describers.push_back(describer_of(extractor));
    describers.back().alone = nullptr;  // their times are compared
  }
  return describe_each(photos, decoding, describers, progress);
}

}  // namespace revisit

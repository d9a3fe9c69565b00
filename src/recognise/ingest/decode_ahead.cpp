// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One photo on the decoding thread.
#include "recognise/ingest/decode_ahead.h"

#include <chrono>
#include <utility>

#include "core/base/or_skip.h"

namespace revisit {

DecodedPhoto decode_photo(const std::filesystem::path& path, const DecodeOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  Image image;
  PhotoInfo info;
  if (auto skipped = or_skip(path, [&] { image = load_image(path, options, &info); })) return {std::move(*skipped)};
  const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return {std::move(image), ms, left_out_note(path, info)};
}

DecodeAhead::DecodeAhead(std::size_t count, std::function<std::filesystem::path(std::size_t)> path_of,
                         const DecodeOptions& options)
    : photos_(count, [path_of = std::move(path_of), options](std::size_t i) { return decode_photo(path_of(i), options); }) {}

}  // namespace revisit

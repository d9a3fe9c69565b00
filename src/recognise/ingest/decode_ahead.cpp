// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One photo on the decoding thread.
#include "recognise/ingest/decode_ahead.h"

#include <chrono>
#include <utility>

#include "core/base/or_skip.h"

namespace revisit {
namespace {

using Clock = std::chrono::steady_clock;

DecodedPhoto decode(const std::filesystem::path& path, Orientation orientation) {
  DecodeOptions options;
  options.orientation = orientation;
  const auto start = Clock::now();
  Image image;
  if (auto skipped = or_skip(path, [&] { image = load_image(path, options); })) return {std::move(*skipped), 0};
  return {std::move(image), std::chrono::duration<double, std::milli>(Clock::now() - start).count()};
}

}  // namespace

DecodeAhead::DecodeAhead(std::size_t count, std::function<std::filesystem::path(std::size_t)> path_of, Orientation orientation)
    : photos_(count, [path_of = std::move(path_of), orientation](std::size_t i) { return decode(path_of(i), orientation); }) {}

}  // namespace revisit

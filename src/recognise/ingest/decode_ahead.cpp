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
  PhotoInfo info;
  if (auto skipped = or_skip(path, [&] { image = load_image(path, options, &info); })) return {std::move(*skipped)};
  const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return {std::move(image), ms, left_out_note(path, info)};
}

}  // namespace

DecodeAhead::DecodeAhead(std::size_t count, std::function<std::filesystem::path(std::size_t)> path_of, Orientation orientation)
    : photos_(count, [path_of = std::move(path_of), orientation](std::size_t i) { return decode(path_of(i), orientation); }) {}

}  // namespace revisit

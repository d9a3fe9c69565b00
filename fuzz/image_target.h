// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What the image targets share: one decoder called directly, so that the sniffing of other formats costs no run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "core/image/codec.h"
#include "core/image/exif.h"
#include "core/image/orient.h"
#include "revisit/error.h"

namespace revisit::fuzz {

inline void decode_both_ways(DecodedImage (*decode)(const EncodedImage&), std::span<const std::uint8_t> data) {
  const std::span<const std::byte> bytes = std::as_bytes(data);
  if (bytes.size() < 12) return;  // decoders get what the sniffer has let through
  for (const bool accept_truncated : {false, true}) {
    try {
      const EncodedImage source{bytes, "fuzz", {.accept_truncated = accept_truncated, .max_pixels = 1'000'000}};
      DecodedImage decoded = decode(source);
      PhotoInfo info;
      if (!decoded.exif.empty()) read_exif(decoded.exif, info);
      const Image image = make_upright(std::move(decoded.image), info.orientation);
      if (image.rgb.size() != std::size_t{3} * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height))
        std::abort();
      volatile std::uint8_t sink = 0;
      for (const std::uint8_t v : image.rgb) sink = static_cast<std::uint8_t>(sink ^ v);  // every pixel must be readable
    } catch (const Error&) {
    }
  }
}

}  // namespace revisit::fuzz

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Where a photo was taken according to its own EXIF data, found without decoding a pixel.
#pragma once

#include <cstddef>
#include <span>

#include "revisit/photos.h"
#include "revisit/image.h"

namespace revisit {

/// The EXIF part (a TIFF structure) of a JPEG, PNG or WebP file; empty when there is none. Any bytes are fine.
std::span<const std::byte> exif_of(std::span<const std::byte> file);

/// Fills position and time from EXIF data, where present.
void place_by(const PhotoInfo& info, Photo& photo);

/// Fills position and time from EXIF where it has them. An unreadable file changes nothing: decoding it will report
/// why.
void place_by_exif(Photo& photo);

}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The few EXIF fields revisit uses: orientation, position, altitude, heading and time.
#pragma once

#include <cstddef>
#include <span>

#include "revisit/image.h"

namespace revisit {

/// Fills `info` from a TIFF structure of either byte order. It never throws because of the content: an invalid field
/// stays empty and info.notes says why. Reads three directories of at most limits::kMaxExifEntries entries.
void read_exif(std::span<const std::byte> tiff, PhotoInfo& info);

}  // namespace revisit

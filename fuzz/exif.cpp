// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as EXIF: nothing is thrown, and what comes out is within its ranges.
#include "core/image/exif.h"

#include <cstdint>
#include <cstdlib>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  revisit::PhotoInfo info;
  revisit::read_exif(std::as_bytes(std::span(data, size)), info);
  const auto within = [](const std::optional<double>& value, double low, double high) {
    return !value || (*value >= low && *value <= high);
  };
  const bool valid = info.orientation >= 1 && info.orientation <= 8 && info.lat_deg.has_value() == info.lon_deg.has_value() &&
                     within(info.lat_deg, -90, 90) && within(info.lon_deg, -180, 180) && within(info.altitude_m, -1e5, 1e5) &&
                     within(info.heading_deg, 0, 360) && (!info.time || info.time->size() == 19) && info.notes.size() < 32;
  if (!valid) std::abort();
  return 0;
}

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as GeoJSON: refused with an Error, or photos with a place on the globe.
#include "recognise/photos/positions.h"
#include "revisit/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    std::vector<std::string> notes;
    const auto table = revisit::parse_geojson({reinterpret_cast<const char*>(data), size}, "fuzz", notes);
    for (const auto& [name, photo] : table.photos) {
      if (name.empty()) __builtin_trap();
      if (!photo.position) continue;  // its geometry is null
      const auto& place = photo.position->geographic;
      if (!place || !(place->lat_deg <= 90 && place->lat_deg >= -90)) __builtin_trap();
    }
  } catch (const revisit::Error&) {
  }
  return 0;
}

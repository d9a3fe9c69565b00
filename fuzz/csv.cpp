// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as gt.csv and as positions.csv: refused with an Error, or indices and places in range.
#include "core/formats/csv.h"

#include "lab/dataset/gt_csv.h"
#include "recognise/photos/positions.h"
#include "revisit/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<revisit::Photo> photos(3);
  for (std::size_t i = 0; i < photos.size(); ++i) photos[i].name = std::string(1, static_cast<char>('a' + i)) + ".jpg";
  try {
    std::vector<std::string> notes;
    for (const auto& list : revisit::dataset::parse_gt_csv(text, "fuzz", photos, photos, notes)) {
      for (const int index : list) {
        if (index < 0 || index >= 3) __builtin_trap();
      }
    }
  } catch (const revisit::Error&) {
  }
  try {
    for (const auto& [name, photo] : revisit::parse_positions_csv(text, "fuzz").photos) {
      if (name.empty() || (photo.position && !(photo.position->east_m == photo.position->east_m))) __builtin_trap();
    }
  } catch (const revisit::Error&) {
  }
  return 0;
}

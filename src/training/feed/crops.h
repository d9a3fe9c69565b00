// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Single crops of photos and of the town, for learning from a teacher. Which place they show does not matter.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "training/feed/place_source.h"
#include "revisit/image.h"
#include "revisit/lab/train.h"

namespace revisit::feed {

struct Crop {
  Image image;
  std::vector<std::string> unreadable;  ///< photos that could not be read and were skipped
};

/// Crop `id` depends on the settings, the seed and `id` alone. May be called from several threads at once.
class CropSource {
 public:
  /// Throws Error kNotFound when a folder does not exist or holds no photo.
  CropSource(const TrainDistill& settings, Size size, std::uint64_t seed);

  /// Cropped, mirrored and tilted, but in its own light: the input of a teacher. Throws Error when 20 photos in a row
  /// cannot be read.
  Crop crop(std::int64_t id) const;
  std::string describe() const;  ///< "5,420 photos and a town of 2,000 places"

 private:
  Size size_;
  std::uint64_t seed_;
  double town_share_;
  std::vector<std::filesystem::path> photos_;
  std::unique_ptr<PlaceSource> town_;
};

}  // namespace revisit::feed

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// From a photo to a training picture: another viewpoint, the network's size, another light.
#pragma once

#include <filesystem>

#include "core/base/random.h"
#include "revisit/image.h"
#include "revisit/lab/train.h"

namespace revisit::feed {

/// Facts about a picture in addition to the probabilities of TrainAugment.
struct PictureOptions {
  bool aligned = false;   ///< crop and perspective always, so that position within the picture teaches nothing
  bool mirrored = false;  ///< decided for all pictures of a place together: a mirrored place is another place
};

/// Crop and perspective sample the original, then comes Pillow's bilinear resize to `size`, then night, light and RandAugment.
/// Without crop, perspective, night and light it is exactly torchvision's Resize and RandAugment. Each change draws its numbers
/// from a branch of its own: turning one on does not change what the others do.
Image augment_for_training(const Image& image, const TrainAugment& augment, const PictureOptions& options, Size size,
                           SplitMix& random);

/// The same from a file, mirrored with probability augment.flip: for learning from single photos. Throws what load_image throws.
Image load_for_training(const std::filesystem::path& path, const TrainAugment& augment, Size size, SplitMix& random);

}  // namespace revisit::feed

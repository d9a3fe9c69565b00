// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Changing a picture's values rather than its geometry, as Pillow's ImageEnhance and ImageOps do.
#pragma once

#include "revisit/image.h"

namespace revisit::augment {

// Factor 1 leaves the picture, 0 takes the property away, more exaggerates it.
Image brightness(const Image& image, double factor);
Image colour(const Image& image, double factor);
Image contrast(const Image& image, double factor);
Image sharpness(const Image& image, double factor);

Image posterize(const Image& image, int bits);         ///< keeps the highest 1..8 bits
Image solarize(const Image& image, double threshold);  ///< values from the threshold on are inverted
Image auto_contrast(const Image& image);               ///< each channel stretched to 0..255
Image equalize(const Image& image);                    ///< each channel's histogram made flat

}  // namespace revisit::augment

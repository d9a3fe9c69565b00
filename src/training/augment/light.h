// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Another hour, weather or camera: exposure, gamma, colour cast, contrast and saturation.
#pragma once

#include <array>

#include "core/base/random.h"
#include "revisit/image.h"

namespace revisit::augment {

struct Light {
  double gamma = 1;                     ///< > 1 darkens what is neither black nor white
  double exposure = 1;                  ///< factor on all values
  std::array<double, 3> cast{1, 1, 1};  ///< factor on red, green and blue
  double contrast = 1;                  ///< about middle gray
  double saturation = 1;                ///< 0: gray
};

/// From dull to harsh, while scenes stay recognisable: gamma 0.6..1.7, exposure 0.6..1.5, cast within a sixth.
Light random_light(SplitMix& random);

Image relit(const Image& image, const Light& light);

}  // namespace revisit::augment

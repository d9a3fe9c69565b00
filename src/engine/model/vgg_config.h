// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The settings of a VGG network without batch normalisation, such as VGG-16, up to its last convolution: no ReLU and no pooling
// behind that, as NetVLAD and CosPlace cut it.
#pragma once

#include <string>
#include <vector>

namespace revisit::model {

struct VggConfig {
  static constexpr const char* kFamily = "vgg";

  std::string arch = kFamily;
  std::vector<std::vector<int>> stages;  // channels of each 3x3 convolution; max pooling between stages
};

/// torchvision's index of convolution `layer` of stage `stage` in `features`: ReLUs and poolings count as well.
int features_index(const VggConfig& vgg, int stage, int layer);

}  // namespace revisit::model

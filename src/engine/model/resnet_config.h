// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The settings of a residual network: ResNet-18/34/50/101/152 of torchvision and anything of the same form, of any width and
// depth, ending after any stage.
#pragma once

#include <string>
#include <vector>

namespace revisit::model {

struct ResnetConfig {
  static constexpr const char* kFamily = "resnet";

  /// Blocks that work at one size of map.
  struct Stage {
    int blocks = 0;
    int inner = 0;  // channels of the 3x3 convolutions
    int outer = 0;  // channels of the result
    bool operator==(const Stage&) const = default;
  };

  std::string arch = kFamily;
  bool bottleneck = false;  // 1x1, 3x3, 1x1 instead of 3x3, 3x3
  int stem = 0;             // channels of the first convolution
  std::vector<Stage> stages;
};

/// Whether block `block` of stage `stage` has a convolution beside it, since its result has another shape than its input.
bool has_shortcut(const ResnetConfig& resnet, int stage, int block);
/// Channels that block gets.
int inputs_of(const ResnetConfig& resnet, int stage, int block);

}  // namespace revisit::model

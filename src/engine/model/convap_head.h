// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The settings of Conv-AP: a layer over channels, averaged over a few regions of the map.
#pragma once

namespace revisit::model {

struct ConvapHead {
  int width = 0;     // of a feature
  int channels = 0;  // that are left
  int rows = 2;      // regions
  int columns = 2;
};

}  // namespace revisit::model

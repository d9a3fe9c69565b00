// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The settings of MixVPR: mixers over all cells of a map of one size, then layers over channels and over cells.
#pragma once

namespace revisit::model {

struct MixvprHead {
  int width = 0;     // of a feature
  int cells = 0;     // of the map
  int depth = 0;     // mixers
  int hidden = 0;    // of a mixer
  int channels = 0;  // that are left of the width
  int rows = 0;      // that are left of the cells
};

}  // namespace revisit::model

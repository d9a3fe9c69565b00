// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The settings of the head of CosPlace and EigenPlaces: GeM over unit cells, then a linear layer.
#pragma once

namespace revisit::model {

struct CosplaceHead {
  int width = 0;  // of a feature
  int dim = 0;    // of the descriptor
};

}  // namespace revisit::model

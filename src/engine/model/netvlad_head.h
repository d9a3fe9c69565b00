// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The settings of NetVLAD: soft assignment to words, sums of what lies between features and words, perhaps whitened.
#pragma once

namespace revisit::model {

inline constexpr const char* kNetvlad = "netvlad";

struct NetvladHead {
  int clusters = 0;
  int width = 0;  // of a feature
  /// Of the descriptor where a whitening follows; 0: none does. It comes with the MATLAB layout, in which the word runs fastest
  /// in the descriptor and centroids are stored as (width, clusters).
  int whitened = 0;

  bool matlab() const { return whitened > 0; }
};

}  // namespace revisit::model

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The settings of SuperVLAD: soft assignment to a few words and to ghost words whose sums are dropped, without centroids.
#pragma once

namespace revisit::model {

inline constexpr const char* kSupervlad = "supervlad";

struct SupervladHead {
  int clusters = 0;
  int ghosts = 0;
  int width = 0;  // of a token
};

}  // namespace revisit::model

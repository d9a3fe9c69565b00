// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The settings of VLAD: a fixed vocabulary, one residual sum per word.
#pragma once

namespace revisit::model {

inline constexpr const char* kVlad = "vlad";

struct VladHead {
  int clusters = 0;
  int width = 0;  // of a token
};

}  // namespace revisit::model

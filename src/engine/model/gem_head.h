// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The settings of GeM as a head with a trained exponent.
#pragma once

namespace revisit::model {

struct GemHead {
  int width = 0;  // of a feature
};

}  // namespace revisit::model

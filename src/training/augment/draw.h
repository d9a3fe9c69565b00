// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Random amounts of a change.
#pragma once

#include <cmath>

#include "core/base/random.h"

namespace revisit::augment {

inline double between(double low, double high, SplitMix& random) { return low + (high - low) * random.uniform(); }

/// Evenly on a logarithmic scale: halving is as likely as doubling.
inline double factor_between(double low, double high, SplitMix& random) {
  return std::exp(between(std::log(low), std::log(high), random));
}

}  // namespace revisit::augment

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How ToMe spreads its merges over the blocks.
#pragma once

#include <vector>

namespace revisit::reduce {

/// On average r in each of `depth` blocks, along a line: from 2 r to 0 for an inflect of -1, constant for 0, from 0 to 2 r for 1.
/// Rounded towards 0, as the method's own code does.
std::vector<int> merges_per_block(int r, double inflect, int depth);

}  // namespace revisit::reduce

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Rows of one matrix against rows of another: which is most like each. The table of all products never exists.
#pragma once

#include "core/tensor/arena.h"
#include "core/tensor/matrix.h"

namespace revisit::tensor {

/// For each row of a (n, d) the row of b (m, d), m >= 1, with the largest dot product: its index in `best` and the product in
/// `product`, (n) each. Of equal products the lower index; 0 where no product is a number.
void nearest_rows(ConstMatrix a, ConstMatrix b, int* best, float* product, Arena& arena);

namespace reference {
void nearest_rows(ConstMatrix a, ConstMatrix b, int* best, float* product);
}  // namespace reference

}  // namespace revisit::tensor

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Position embeddings for a grid the table was not made for, resampled as each family of models does it.
#pragma once

#include <vector>

#include "engine/model/config.h"

namespace revisit::vit {

/// table is (from_rows * from_cols, dim), row-major over the grid; the result is (to_rows * to_cols, dim).
/// An unchanged grid returns the table as it is.
std::vector<float> resample_positions(const float* table, int from_rows, int from_cols, int dim, int to_rows, int to_cols,
                                      model::PosRule rule);

}  // namespace revisit::vit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The inner loops of a search (Highway, run-time dispatch) and, under reference::, the same in plain C++.
#pragma once

#include <cstddef>
#include <cstdint>

namespace revisit::retrieval {

/// products[r * queries + j] = <codes of row r, query j>, exactly. Row r has its int8 codes at `rows + r * row_stride`, query j
/// its int16 codes at `query_codes + j * count`. count is a multiple of 64; the caller guarantees that no product exceeds 32
/// bits.
void integer_products(const std::int8_t* rows, std::size_t row_stride, int row_count, const std::int16_t* query_codes,
                      int queries, int count, std::int32_t* products);

struct Distance {
  double squared;  ///< |a - b|^2
  double dot;      ///< <a, b>
};

/// Both sums in double.
Distance distance(const float* a, const float* b, int count);

/// |a - b|^2 summed in f32: good enough to navigate a graph.
float rough_squared_distance(const float* a, const float* b, int count);

namespace reference {
void integer_products(const std::int8_t* rows, std::size_t row_stride, int row_count, const std::int16_t* query_codes,
                      int queries, int count, std::int32_t* products);
Distance distance(const float* a, const float* b, int count);
}  // namespace reference

}  // namespace revisit::retrieval

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// All inner products of two sets of rows (Highway, run-time dispatch) and, under reference::, the same in plain C++. Unlike a
// matrix library's, each result is summed in one fixed order: it depends neither on threads nor on the rows beside it.
#pragma once

namespace revisit::retrieval {

/// out[i * m + j] += <x_i, p_j>. x is (n, k), p is (m, k), out is (n, m).
void add_products(const float* x, int n, const float* p, int m, int k, float* out);

namespace reference {
void add_products(const float* x, int n, const float* p, int m, int k, float* out);
}  // namespace reference

}  // namespace revisit::retrieval

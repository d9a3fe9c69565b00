// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Nearest rows by L2, over rows and codes in memory. Exact: every row that could be among the best k is compared in f32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "revisit/index.h"

namespace revisit::retrieval {

/// The rows to search. Owns nothing.
struct SearchSpace {
  int dim = 0;
  const float* rows = nullptr;       ///< (end, dim)
  const std::byte* codes = nullptr;  ///< CodeRow and codes of rows 0..coded-1
  std::size_t code_stride = 0;       ///< bytes from one row to the next
  int coded = 0;                     ///< rows from here on have no codes and are compared in f32, all of them
  int first = 0;
  int end = 0;
  const std::uint8_t* wanted = nullptr;  ///< (end) 0: left out; null: all are wanted
};

/// A row does not match its codes: one of the two is damaged.
struct CodesDisagree {
  int row;
};

/// queries is (n, dim), finite. Throws CodesDisagree. Answers do not depend on the number of threads or on which queries are
/// batched.
std::vector<std::vector<Match>> search(const SearchSpace& space, std::span<const float> queries, int top_k,
                                       SearchOptions::Mode mode, SearchStats& stats);

/// The best top_k of the given rows by their f32 values, in the order search() would give them.
std::vector<Match> rank(const SearchSpace& space, const float* query, std::span<const int> rows, int top_k);

}  // namespace revisit::retrieval

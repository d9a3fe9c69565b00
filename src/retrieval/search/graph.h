// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Approximate search: hnswlib's graph over rows it does not copy. The same rows give the same graph, whether it was made in one
// go or grown: rows are inserted one by one, in order, with a fixed seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "retrieval/search/graph_links.h"
#include "retrieval/search/projected.h"

namespace revisit::retrieval {

class Graph {
 public:
  Graph();
  ~Graph();
  Graph& operator=(Graph&&) noexcept;

  /// Takes what memory or the file has for these rows; the rest is added, and the file is kept where possible.
  void update(const Source& source, const std::string& name);

  /// More of the same rows, which may have moved.
  void grow(const float* rows, int count, int dim);
  int count() const;

  /// (count) 0: never returned, but still leads to others. Empty: all are.
  void set_live(std::span<const std::uint8_t> live);

  /// Up to `most` rows near the query, in no particular order.
  std::vector<int> nearest(const float* query, int most) const;

  GraphLinks links() const;
  /// Takes the place of an empty graph. The links have been checked.
  void restore(const GraphLinks& links, const float* rows, int dim);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace revisit::retrieval

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The rows of an index, whitened to fewer values, with their codes: what SearchOptions::dim searches. Kept in pcaD.rows.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "retrieval/files/derived.h"
#include "retrieval/search/search.h"
#include "revisit/whitening.h"

namespace revisit::retrieval {

/// The rows something is derived from.
struct Source {
  std::filesystem::path folder;  ///< empty: nothing is kept
  const float* rows = nullptr;  ///< (count, dim)
  int count = 0;
  int dim = 0;
  std::uint64_t identity = 0;
};

class Projected {
 public:
  explicit Projected(int target) : target_(target) {}

  /// Takes what memory or the file has for these rows; what is missing is computed and kept, in the folder where
  /// possible. Error kUsage when there are too few rows to learn from.
  void update(const Source& source);

  const Whitening& whitening() const { return *whitening_; }
  int count() const { return count_; }
  SearchSpace space() const;  ///< of all rows

 private:
  bool take_file(const Source& source);
  void into_memory();
  void add_rows(const Source& source);
  void keep(const Source& source) const;

  int target_ = 0;
  int count_ = 0;
  std::optional<Whitening> whitening_;
  std::optional<DerivedFile> file_;  // when open, it holds all rows, and the vectors below are empty
  std::vector<float> rows_;          // (count, target)
  std::vector<std::byte> codes_;
};

/// How many of the first `count` rows a whitening is learnt from: it is learnt again after an eighth more, so that a
/// growing index does not learn at every photo, and depends only on the rows.
int learnt_rows(int count, int target);

/// "pcaD.rows"; "pcaD.graph"; "hnsw.graph" for target 0.
std::string projected_name(int target);
std::string graph_name(int target);

}  // namespace revisit::retrieval

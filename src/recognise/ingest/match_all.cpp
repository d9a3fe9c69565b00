// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Folder against folder without an index on disk: the exact search of retrieval over rows and codes in memory.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/checked.h"
#include "core/base/fail.h"
#include "retrieval/files/layout.h"
#include "retrieval/files/quantise.h"
#include "retrieval/search/search.h"
#include "revisit/ingest.h"
#include "core/tensor/parallel.h"

namespace revisit {
namespace {

int count_rows(const DescribedPhotos& photos, const char* what) {
  const auto dim = static_cast<std::size_t>(std::max(1, photos.dim));
  if (photos.dim < 1 || photos.rows.size() % dim != 0) {
    fail(ErrorCode::kUsage, "the descriptors of the {} are {} values, which is not a multiple of {}", what, photos.rows.size(),
         photos.dim);
  }
  const bool finite = std::ranges::all_of(photos.rows, [](float x) { return std::isfinite(x); });
  if (!finite) fail(ErrorCode::kUsage, "the descriptors of the {} hold NaN or infinity", what);
  return static_cast<int>(photos.rows.size() / dim);
}

bool is_zero(std::span<const float> row) {
  return std::ranges::all_of(row, [](float x) { return x == 0; });
}

/// References with their codes; a zero row is never wanted.
class Space {
 public:
  explicit Space(const DescribedPhotos& references) : count_(count_rows(references, "references")) {
    const auto dim = static_cast<std::size_t>(references.dim);
    const std::uint64_t codes_per_row = retrieval::padded_dim(references.dim);
    space_.dim = references.dim;
    space_.rows = references.rows.data();
    space_.code_stride = retrieval::kCodeRowBytes + codes_per_row;
    codes_.resize(checked_mul(static_cast<std::uint64_t>(count_), space_.code_stride, "codes of the references"));
    wanted_.assign(static_cast<std::size_t>(count_), 1);
    tensor::parallel_for(count_, [&](int i) {
      const auto row = std::span(references.rows).subspan(static_cast<std::size_t>(i) * dim, dim);
      std::byte* at = codes_.data() + static_cast<std::size_t>(i) * space_.code_stride;
      const retrieval::CodeRow head =
          retrieval::quantise_row(row, {reinterpret_cast<std::int8_t*>(at + retrieval::kCodeRowBytes), codes_per_row});
      std::memcpy(at, &head, sizeof(head));
      wanted_[static_cast<std::size_t>(i)] = is_zero(row) ? 0 : 1;
    });
    space_.codes = codes_.data();
    space_.coded = space_.end = count_;
    space_.wanted = wanted_.data();
  }

  std::vector<std::vector<Match>> search(std::span<const float> queries, int top_k) const {
    SearchStats stats;
    return retrieval::search(space_, queries, top_k, SearchOptions::Mode::kExact, stats);
  }

  /// Only references wanted for the query.
  std::vector<Match> search_wanted(std::span<const float> query, int top_k, const std::function<bool(int)>& wants) const {
    std::vector<std::uint8_t> mask = wanted_;
    for (int r = 0; r < count_; ++r) {
      auto& bit = mask[static_cast<std::size_t>(r)];
      if (bit != 0 && !wants(r)) bit = 0;
    }
    retrieval::SearchSpace part = space_;
    part.wanted = mask.data();
    SearchStats stats;
    return retrieval::search(part, query, top_k, SearchOptions::Mode::kExact, stats).front();
  }

 private:
  int count_;
  retrieval::SearchSpace space_;
  std::vector<std::byte> codes_;
  std::vector<std::uint8_t> wanted_;
};

}  // namespace

std::vector<std::vector<Match>> match_all(const DescribedPhotos& queries, const DescribedPhotos& references, int top_k,
                                          const std::function<bool(int, int)>& wanted) {
  if (top_k < 1) fail(ErrorCode::kUsage, "`top_k` is {}, but must be at least 1", top_k);
  if (queries.dim != references.dim) {
    fail(ErrorCode::kMismatch, "queries have {} values each, references {}: they come from different models", queries.dim,
         references.dim);
  }
  const int count = count_rows(queries, "queries");
  const Space space(references);
  const auto dim = static_cast<std::size_t>(queries.dim);
  const auto row_of = [&](int q) { return std::span(queries.rows).subspan(static_cast<std::size_t>(q) * dim, dim); };

  std::vector<std::vector<Match>> out(static_cast<std::size_t>(count));
  std::vector<float> used;  // queries that were described, side by side
  std::vector<int> used_rows;
  for (int q = 0; q < count; ++q) {
    if (is_zero(row_of(q))) continue;
    if (wanted) {
      out[static_cast<std::size_t>(q)] = space.search_wanted(row_of(q), top_k, [&](int r) { return wanted(q, r); });
    } else {
      used.insert(used.end(), row_of(q).begin(), row_of(q).end());
      used_rows.push_back(q);
    }
  }
  auto found = space.search(used, top_k);
  for (std::size_t i = 0; i < used_rows.size(); ++i) out[static_cast<std::size_t>(used_rows[i])] = std::move(found[i]);
  return out;
}

}  // namespace revisit

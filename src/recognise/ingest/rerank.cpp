// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The second look at matches of folder with folder.
#include <chrono>

#include "core/base/fail.h"
#include "retrieval/local/local.h"
#include "revisit/ingest.h"

namespace revisit {
namespace {

void require_local(const DescribedPhotos& photos, const char* what) {
  const auto dim = static_cast<std::size_t>(std::max(1, photos.dim));
  if (photos.local.size() * dim == photos.rows.size()) return;
  fail_with_hint(ErrorCode::kUsage, "describe them with `local`",
                 "a second look needs the local features of the {}, which were described without", what);
}

}  // namespace

SecondLooks rerank(const DescribedPhotos& queries, const DescribedPhotos& references, std::vector<std::vector<Match>>& matches,
                   int count) {
  require_local(queries, "queries");
  require_local(references, "references");
  const auto start = std::chrono::steady_clock::now();
  const auto local_of = [&](int row) { return &references.local[static_cast<std::size_t>(row)]; };
  SecondLooks out;
  for (std::size_t q = 0; q < matches.size(); ++q) {
    auto& looks = out.looks.emplace_back();
    if (matches[q].empty()) continue;  // it was skipped, or all was excluded
    looks = retrieval::look_again(queries.local[q], matches[q], count, local_of);
    out.candidates += static_cast<int>(looks.size());
  }
  out.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return out;
}

}  // namespace revisit

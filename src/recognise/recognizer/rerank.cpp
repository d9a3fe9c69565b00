// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Features are read for the matches that are looked at, and for no others.
#include "recognise/recognizer/rerank.h"

#include <chrono>
#include <map>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "retrieval/local/local.h"

namespace revisit {

void check_rerank(const AskOptions& options, bool has_local) {
  if (options.rerank < 0 || options.rerank > limits::kMaxTopK) {
    fail(ErrorCode::kUsage, "`rerank` {} is outside 0..{}", options.rerank, limits::kMaxTopK);
  }
  if (options.rerank > 0 && !has_local) {
    fail_with_hint(ErrorCode::kUsage, "describe them with local features", "`rerank` {} needs the local features of every query",
                   options.rerank);
  }
}

void look_again(const retrieval::Store& store, const std::string& address, const LocalFeatures& query, const AskOptions& options,
                Ranked& ranked) {
  const auto start = std::chrono::steady_clock::now();
  std::map<int, LocalFeatures> features;  // keeps what is looked at
  const auto local_of = [&](int row) {
    auto found = store.local(row);
    if (!found) {
      fail_with_hint(ErrorCode::kNotFound, fmt::format("revisit index add {} PHOTOS --local adds what is missing", address),
                     "a second look needs local features, but '{}' in '{}' has none", store.entry(row).name, address);
    }
    return &(features[row] = std::move(*found));
  };
  ranked.looks = retrieval::look_again(query, ranked.matches, options.rerank, local_of);
  ranked.reranked = static_cast<int>(ranked.looks.size());
  const auto kept = std::min(ranked.matches.size(), static_cast<std::size_t>(std::max(options.top_k, 1)));
  ranked.matches.resize(kept);
  ranked.looks.resize(std::min(ranked.looks.size(), kept));
  ranked.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace revisit

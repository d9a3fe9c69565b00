// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The second look of a recognizer: local features out of its store.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "retrieval/store/store.h"
#include "revisit/recognizer.h"

namespace revisit {

/// The matches of one query, and what the second look at the first of them said.
struct Ranked {
  std::vector<Match> matches;
  std::vector<SecondLook> looks{};
  int reranked = 0;
  double ms = 0;

  std::optional<SecondLook> take_look(std::size_t rank) {
    return rank < looks.size() ? std::optional(std::move(looks[rank])) : std::nullopt;
  }
};

/// Throws Error kUsage for a number of matches out of range, and where local features are wanted and not given.
void check_rerank(const AskOptions& options, bool has_local);

/// Puts the first options.rerank matches in their new order and leaves options.top_k. Error kNotFound, saying how to add them,
/// when one of them has no local features.
void look_again(const retrieval::Store& store, const std::string& address, const LocalFeatures& query, const AskOptions& options,
                Ranked& ranked);

}  // namespace revisit

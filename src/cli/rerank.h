// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What query, match and eval share of --rerank.
#pragma once

#include <optional>
#include <vector>

#include "cli/console.h"
#include "cli/option.h"
#include "cli/photo_run.h"

namespace revisit::cli {

void add_rerank_option(std::vector<Option>& options, std::optional<int>& out);

/// Error kUsage for both --sequence and --rerank: each orders the matches.
void check_order(int sequence, const std::optional<int>& rerank);

/// Matches of a report in their new order, without --rerank as they are; notes in the protocol how many were looked at again.
void look_again(RunReport& report, const Side& queries, const Side& references, const std::optional<int>& rerank,
                Console& console);

/// "second look: 4,000 candidates, 0.21 ms each", with -v.
void tell(const SecondLooks& looks, Console& console);
/// "...; the first 20 looked at again"
void mention_rerank(Dataset& dataset, const std::optional<int>& rerank);

}  // namespace revisit::cli

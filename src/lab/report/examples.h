// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The queries a page shows: the best and the worst.
#pragma once

#include <string>
#include <vector>

#include "revisit/lab/report.h"

namespace revisit::report {

struct ShownQueries {
  std::vector<int> best;   ///< right, most similar first; without labels, the most similar
  std::vector<int> worst;  ///< wrong, most confident first; without labels, the least similar
};

/// Twelve in all; eight of them wrong where there are that many.
ShownQueries shown_queries(const RunReport& report);

bool keeps_all(const PatchScores& scores);  ///< no patch was pruned

/// The sections of the page with photos, answers in words and, folded away, heat maps, kept tokens and all scores.
std::string examples_html(const RunReport& report);

}  // namespace revisit::report

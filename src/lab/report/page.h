// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Parts of every HTML page.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "revisit/lab/report.h"

namespace revisit::report {

/// A whole page around a body. Its content policy forbids scripts and every request.
std::string page(const std::string& title, const std::string& body);

using Rows = std::vector<std::pair<std::string, std::string>>;
std::string fact_table(const Rows& rows);  ///< texts are escaped here
Rows facts_of(const RunRecord& run);
/// "8 queries, 16 references. 1 query has no right reference and counts as a miss. "
std::string how_many(const Evaluation& evaluation);
std::string skipped_list(const std::vector<Skipped>& skipped);  ///< empty if none were skipped

}  // namespace revisit::report

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Ground truth in a file: gt.csv with the columns query, best_ref and accepted_refs ('|' between names).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "revisit/lab/dataset.h"

namespace revisit::dataset {

/// Per query the ascending indices of its accepted references (the best one included). A query or reference that is not
/// among the photos, and a query listed twice, is Error kBadFile with the line. Photos without a row get an empty list and one
/// note.
std::vector<std::vector<int>> parse_gt_csv(std::string_view text, const std::string& file, const std::vector<Photo>& queries,
                                           const std::vector<Photo>& references, std::vector<std::string>& notes);

}  // namespace revisit::dataset

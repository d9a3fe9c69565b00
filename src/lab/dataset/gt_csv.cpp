// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// From names in gt.csv to photo indices.
#include "lab/dataset/gt_csv.h"

#include <algorithm>

#include "core/base/limits.h"
#include "core/formats/csv.h"
#include "core/formats/printable.h"
#include "core/formats/text.h"
#include "recognise/photos/photos.h"

namespace revisit::dataset {

std::vector<std::vector<int>> parse_gt_csv(std::string_view text, const std::string& file, const std::vector<Photo>& queries,
                                           const std::vector<Photo>& references, std::vector<std::string>& notes) {
  CsvReader csv(text, file);
  const auto query_column = csv.required_column({"query"});
  const auto best_column = csv.column({"best_ref"});
  const auto accepted_column = best_column ? csv.column({"accepted_refs"}) : csv.required_column({"accepted_refs"});
  const PhotoNames query_names(queries), reference_names(references);

  std::vector<std::vector<int>> out(queries.size());
  std::vector<std::uint64_t> line_of(queries.size(), 0);
  std::uint64_t total = 0;
  while (csv.next()) {
    const std::string asked = csv.text(query_column);
    const auto query = query_names.find(asked);
    if (!query) csv.fail_here("the query '{}' is not in the folder of queries", printable(asked));
    const auto q = static_cast<std::size_t>(*query);
    if (line_of[q] != 0) csv.fail_here("the query '{}' was already on line {}", printable(queries[q].name), line_of[q]);
    line_of[q] = csv.line();

    const auto accept = [&](std::string_view name) {
      if (name.empty()) return;
      const auto reference = reference_names.find(name);
      if (!reference) csv.fail_here("the reference '{}' is not in the folder of references", printable(name));
      out[q].push_back(*reference);
    };
    if (best_column) accept(csv.text(*best_column));
    if (accepted_column) {
      const std::string list = csv.text(*accepted_column);
      for (const auto name : split(list, '|')) accept(name);
    }
    std::ranges::sort(out[q]);
    out[q].erase(std::unique(out[q].begin(), out[q].end()), out[q].end());
    total += out[q].size();
    if (total > limits::kMaxPositives)
      fail(ErrorCode::kLimit, "'{}' accepts more than {} references in all", file, limits::kMaxPositives);
  }

  const auto unlisted = static_cast<std::size_t>(std::ranges::count(line_of, 0U));
  if (unlisted > 0) {
    const auto first = static_cast<std::size_t>(std::ranges::find(line_of, 0U) - line_of.begin());
    notes.push_back(fmt::format("'{}' has no row for {} of {} queries, such as '{}': they count as misses", file, unlisted,
                                queries.size(), printable(queries[first].name)));
  }
  return out;
}

}  // namespace revisit::dataset

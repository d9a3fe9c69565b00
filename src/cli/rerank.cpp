// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The option, and matches in their new order.
#include "cli/rerank.h"

#include <fmt/format.h>

#include "cli/binding.h"
#include "core/base/fail.h"
#include "core/base/limits.h"

namespace revisit::cli {

void add_rerank_option(std::vector<Option>& options, std::optional<int>& out) {
  options.push_back({"--rerank", "N", "look again at the first N matches: ordered by how well patches agree",
                     to_int(out, 1, limits::kMaxTopK)});
}

void check_order(int sequence, const std::optional<int>& rerank) {
  if (sequence > 1 && rerank) {
    fail_with_hint(ErrorCode::kUsage, "use one of them", "--sequence {} and --rerank {} both order the matches", sequence, *rerank);
  }
}

void look_again(RunReport& report, const Side& queries, const Side& references, const std::optional<int>& rerank,
                Console& console) {
  if (!rerank) return;
  report.second_looks = revisit::rerank(queries.photos, references.photos, report.matches, *rerank);
  tell(report.second_looks, console);
}

void tell(const SecondLooks& looks, Console& console) {
  console.detail(fmt::format("second look: {} candidates, {:.2f} ms each", looks.candidates, looks.ms_per_candidate()));
}

void mention_rerank(Dataset& dataset, const std::optional<int>& rerank) {
  if (rerank) dataset.protocol += fmt::format("; the first {} looked at again", *rerank);
}

}  // namespace revisit::cli

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One extractor serves both sides unless references use another rho.
#include "cli/run_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace revisit::cli {

void write_run_folder(const std::filesystem::path& folder, RunReport& report, const Model& model, Console& console) {
  Extractor queries(model, report.run.spec, report.run.threads);
  if (report.run.spec == report.run.reference_spec) {
    add_patch_scores(report, queries, queries);
  } else {
    Extractor references(model, report.run.reference_spec, report.run.threads);
    add_patch_scores(report, queries, references);
  }
  const auto files = write_run(folder, report);
  console.talk(fmt::format("wrote {} to {}", fmt::join(files, ", "), folder.string()));
}

}  // namespace revisit::cli

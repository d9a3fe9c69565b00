// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// photos.csv and predictions.csv, which may have been edited or belong to other runs, back into a run.
#pragma once

#include <filesystem>

#include "core/base/limits.h"
#include "revisit/lab/report.h"

namespace revisit::report {

/// Total limits of the tables; tests use smaller ones.
struct TableLimits {
  std::uint64_t photos = limits::kMaxListed;
  std::uint64_t positives = limits::kMaxPositives;
  std::size_t parts = limits::kMaxParts;
};

/// Fills photos, parts and matches and, where report.dataset.labelled is set, positives. Throws Error kNotFound, kBadFile or
/// kLimit.
void read_tables(const std::filesystem::path& folder, RunReport& report, const TableLimits& most = {});

}  // namespace revisit::report

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// --budget-ms: the flag, the choice before a run, and the word after one that took longer.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "cli/console.h"
#include "cli/model_options.h"
#include "revisit/budget.h"

namespace revisit::cli {

void add_budget_option(std::vector<Option>& options, ModelArgs& args);

/// Throws Error kUsage when --budget-ms is not alone in deciding how much of a photo is kept.
void check_budget(const ModelArgs& args);

/// Where measured speeds are kept: $XDG_CACHE_HOME/revisit or ~/.cache/revisit; empty, and said so, when neither is known.
std::filesystem::path calibration_folder(Console& console);

void tell(const BudgetChoice& choice, Console& console);

struct Opened {
  Extractor extractor;
  std::optional<BudgetChoice> choice;
};

/// The extractor of a run, at the rho of --budget-ms if that is given. Its notices and the choice are told.
Opened open_extractor(const Model& model, DescriptorSpec spec, const ModelArgs& args, Console& console);

/// The same for a run that opens its extractors itself: the rho of --budget-ms becomes that of `args`.
std::optional<BudgetChoice> settle_budget(const Model& model, ModelArgs& args, Console& console);

/// After a run: one line if the median of its photos was above the budget, or far below what was expected at a rho below 1; then
/// the speed is measured again next time.
void check_pace(const ModelArgs& args, const std::optional<BudgetChoice>& choice, double median_ms, std::size_t photos,
                Console& console);

}  // namespace revisit::cli

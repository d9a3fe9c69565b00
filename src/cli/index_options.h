// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How photos are described for an index: as the user asks, otherwise by the settings of the index.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/model_options.h"
#include "revisit/budget.h"
#include "revisit/recognizer.h"

namespace revisit::cli {

/// --model and the settings; those not given come from the index.
void add_index_options(std::vector<Option>& options, ModelArgs& args);

/// One line about permitted differences: "LEAD rho 0.5, not 1; size 98x98, not 112x112".
void mention_differences(const IndexSettings& now, const IndexSettings& stored, const std::string& lead, Console& console);

struct IndexSetup {
  Extractor extractor;
  std::string model_name;
  IndexSettings settings;  ///< of descriptors made this way
  std::optional<BudgetChoice> choice;
};

/// `stored` is empty for a new index. Mentions permitted differences from it in one line; others are Error kMismatch.
IndexSetup set_up(const std::filesystem::path& folder, const std::optional<IndexSettings>& stored, const ModelArgs& args,
                  Console& console);

/// The collection of an index, for queries. Prints the same notices as set_up.
Recognizer open_places(const std::filesystem::path& folder, const IndexSettings& stored, const ModelArgs& args, Console& console,
                       int sequence = 0);

/// Whether a path is an index.
bool is_index(const std::filesystem::path& path);

}  // namespace revisit::cli

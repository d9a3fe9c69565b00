// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How photos are described for an index: what the user says, and where he is silent what the index was made with.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/model_options.h"
#include "revisit/index.h"

namespace revisit::cli {

struct IndexArgs {
  ModelArgs model;
  std::optional<double> rho;
  std::optional<std::string> orientation;
};

/// --model, --rho, the extractor's and --orientation.
void add_index_options(std::vector<Option>& options, IndexArgs& args);

/// One line about what differs though it may: "LEAD rho 0.5, not 1; size 98x98, not 112x112".
void mention_differences(const IndexSettings& now, const IndexSettings& stored, const std::string& lead, Console& console);

struct IndexSetup {
  Extractor extractor;
  std::string model_name;
  ExtractorOptions options;
  IndexSettings settings;  ///< of descriptors made this way
};

/// `stored` is empty for an index that is to be made. Says in one line what differs from it though it may; Error kMismatch for
/// what may not.
IndexSetup set_up(const std::filesystem::path& folder, const std::optional<IndexSettings>& stored, const IndexArgs& args,
                  Console& console);

}  // namespace revisit::cli

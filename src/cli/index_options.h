// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How photos are described for an index: what the user says, otherwise the settings of the index.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/model_options.h"
#include "revisit/recognizer.h"

namespace revisit::cli {

/// --model and the settings, which are those of the index where they are not given.
void add_index_options(std::vector<Option>& options, ModelArgs& args);

/// One line about what differs though it may: "LEAD rho 0.5, not 1; size 98x98, not 112x112".
void mention_differences(const IndexSettings& now, const IndexSettings& stored, const std::string& lead, Console& console);

struct IndexSetup {
  Extractor extractor;
  std::string model_name;
  IndexSettings settings;  ///< of descriptors made this way
};

/// `stored` is empty for an index that is to be made. Says in one line what differs from it though it may; Error kMismatch for
/// what may not.
IndexSetup set_up(const std::filesystem::path& folder, const std::optional<IndexSettings>& stored, const ModelArgs& args,
                  Console& console);

/// The collection of an index, to be asked. Says what set_up says.
Recognizer open_places(const std::filesystem::path& folder, const IndexSettings& stored, const ModelArgs& args, Console& console);

/// Whether a path is an index.
bool is_index(const std::filesystem::path& path);

}  // namespace revisit::cli

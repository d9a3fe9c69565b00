// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A configuration as a list of words: kept in a checkpoint, so that a run is only taken up with the settings it began with.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "revisit/train.h"

namespace revisit::train {

using Settings = std::vector<std::pair<std::string, std::string>>;  ///< ("optimiser.lr", "6e-05"), in the order of train.h

/// However it was spelt: a run may go on from another folder.
std::string settled_path(const std::filesystem::path& path);

/// File names need not be UTF-8, metadata must be: bytes that are not become "\xNN".
std::string as_utf8(const std::string& text);

/// "EARLIER; LATEST" within the bytes a model file has for its provenance: of a long history the end is kept whole.
std::string history(const std::string& earlier, const std::string& latest);

/// Everything that can change what is learnt. Not steps, threads, workers and checkpoint_minutes: those may change between the
/// parts of a run.
Settings settings_of(const TrainConfig& config);

/// Throws Error kMismatch naming the first setting that differs.
void check_same_settings(const Settings& run, const Settings& now, const std::string& folder);

}  // namespace revisit::train

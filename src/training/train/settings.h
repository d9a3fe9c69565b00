// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A configuration as a list of words: kept in a checkpoint, so that a run is only resumed with the settings it was started with.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "revisit/lab/train.h"

namespace revisit::train {

using Settings = std::vector<std::pair<std::string, std::string>>;  ///< ("optimiser.lr", "6e-05"), in the order of train.h

/// However the path was spelt: a run may be resumed from another folder.
std::string settled_path(const std::filesystem::path& path);

/// Everything that can change what is learnt. Not steps, threads, workers and checkpoint_minutes: those may change between the
/// parts of a run.
Settings settings_of(const TrainConfig& config);

/// Throws Error kMismatch naming the first setting that differs.
void check_same_settings(const Settings& run, const Settings& now, const std::string& folder);

}  // namespace revisit::train

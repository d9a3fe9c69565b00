// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Everything a run needs to continue, in one safetensors file: checksummed, replaced atomically, with the previous one beside it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "training/train/learner.h"
#include "training/train/settings.h"
#include "training/train/validation.h"

namespace revisit::train {

/// Random numbers are functions of (seed, step), so none of their state is here.
struct TrainingState {
  std::int64_t step = 0;             ///< steps done
  std::int64_t validated_step = -1;  ///< the last step whose validation is in the log; -1: none
  std::int64_t best_step = -1;       ///< step of the best model so far
  Recalls best;                      ///< its recalls
  Recalls untrained;                 ///< at step 0
  std::int64_t unreadable = 0;       ///< pictures that had to be replaced by another of the same place
  Settings settings;
  std::string data;  ///< description of the sources
  LearnerState learner;
};

std::filesystem::path checkpoint_path(const std::filesystem::path& folder);
std::filesystem::path previous_checkpoint_path(const std::filesystem::path& folder);

/// At any moment there is a complete checkpoint under one of the two names. Throws Error kNoSpace or kIo.
void save_checkpoint(const std::filesystem::path& folder, const TrainingState& state);

struct FoundCheckpoint {
  TrainingState state;
  std::string notice;  ///< one sentence when the newest could not be used
};

/// The newest sound one. Throws Error kNotFound when there is none, kBadModel when none of them is sound.
FoundCheckpoint load_checkpoint(const std::filesystem::path& folder);

bool has_checkpoint(const std::filesystem::path& folder);

}  // namespace revisit::train

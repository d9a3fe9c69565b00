// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Everything a run needs to go on, in one safetensors file: checksummed, replaced whole, with the one before it kept beside it.
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
  std::int64_t best_step = -1;       ///< whose model was the best so far
  Recalls best;                      ///< what it reached
  Recalls untrained;                 ///< at step 0
  std::int64_t unreadable = 0;       ///< pictures that had to be replaced by another one of their place
  Settings settings;
  std::string data;  ///< what the sources held
  LearnerState learner;
};

std::filesystem::path checkpoint_path(const std::filesystem::path& folder);
std::filesystem::path previous_checkpoint_path(const std::filesystem::path& folder);

/// At every moment, under one of the two names, there is a whole checkpoint. Throws Error kNoSpace or kIo.
void save_checkpoint(const std::filesystem::path& folder, const TrainingState& state);

struct FoundCheckpoint {
  TrainingState state;
  std::string notice;  ///< one sentence when the newest could not be used
};

/// The newest that is sound. Throws Error kNotFound when there is none, kBadModel when none that is there is sound.
FoundCheckpoint load_checkpoint(const std::filesystem::path& folder);

bool has_checkpoint(const std::filesystem::path& folder);

}  // namespace revisit::train

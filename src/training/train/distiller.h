// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A small backbone learns to give a teacher's tokens: the `[distill]` stage of a training run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "training/train/progress_line.h"
#include "training/train/trainer.h"

namespace revisit::train {

struct DistillOutcome {
  bool stopped = false;  ///< by a signal; everything up to `step` is saved
  std::int64_t step = 0;
  std::optional<double> cosine;    ///< between student and teacher on held-out crops; unset for a stage finished earlier
  std::int64_t unreadable = 0;     ///< photos that were left out
  std::filesystem::path backbone;  ///< the student as a model file
};

/// Writes log.jsonl, checkpoint.safetensors, curve.svg and backbone.safetensors below OUT/distill. A finished stage is
/// not run again. Throws Error.
DistillOutcome distill(const TrainRun& run, ProgressLine& progress);

}  // namespace revisit::train

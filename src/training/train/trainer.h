// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A training run: batches in, a model file out; may be stopped or killed at any time and resumed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "revisit/lab/train.h"
#include "training/train/progress_line.h"
#include "training/train/validation.h"

namespace revisit::train {

struct TrainRun {
  TrainConfig config;
  std::filesystem::path out;
  bool resume = false;
  std::function<int()> stop_signal;        ///< nonzero once a stop is requested
  std::function<void()> work_can_be_lost;  ///< called once, before the first step
};

struct TrainOutcome {
  bool stopped = false;  ///< by a signal; everything up to `step` is saved
  std::int64_t step = 0;
  std::int64_t best_step = -1;  ///< of the model in model.safetensors
  Recalls best, untrained;
  std::int64_t unreadable = 0;
  std::filesystem::path model;
};

/// Throws Error for sources and validation photos that cannot be used.
void check_places(const TrainConfig& config);

/// Writes log.jsonl, checkpoint.safetensors, curve.svg, last.safetensors and model.safetensors (the best) below `out`. Throws
/// Error.
TrainOutcome train(const TrainRun& run, ProgressLine& progress);

}  // namespace revisit::train

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The whole study in one call that may be stopped, killed and repeated: finished rows are read back, the others continue.
#pragma once

#include <string>
#include <vector>

#include "training/train/trainer.h"

namespace revisit::train {

struct AblationRun {
  TrainRun run;  ///< its configuration is the full model; `out` is the folder of the study; `resume` is ignored
  int seeds = 3;
  std::vector<std::string> groups;  ///< empty: all
};

struct AblationOutcome {
  bool stopped = false;
  int rows_done = 0, rows = 0;  ///< one per seed
  std::int64_t unreadable = 0;  ///< pictures that had to be replaced, in rows trained by this call
  std::string table;            ///< markdown
  std::filesystem::path folder;
};

/// Writes rows/ (a training run each), ablation.md, ablation.csv and clusters.csv. The tables hold the requested rows and all
/// other finished ones. All rows are checked before the first is trained. Throws Error.
AblationOutcome ablate(const AblationRun& study, ProgressLine& progress);

}  // namespace revisit::train

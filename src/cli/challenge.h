// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The MSLS challenge on the command line: `eval --msls-challenge FILE` writes predictions, `eval --score-msls FILE` scores them.
#pragma once

#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/photo_run.h"
#include "revisit/lab/report.h"

namespace revisit::cli {

struct ChallengeArgs {
  std::string write;  ///< --msls-challenge
  std::string score;  ///< --score-msls
};

void add_challenge_options(std::vector<Option>& options, ChallengeArgs& args);

/// Predictions per query that a run has to find: 25, as is usual, or 0 when no file is wanted.
int challenge_depth(const ChallengeArgs& args);

/// Throws Error kUsage unless the set belongs to the challenge, before photos are described.
void check_challenge(const ChallengeArgs& args, const Dataset& dataset);

void write_challenge(const ChallengeArgs& args, const RunReport& report, Console& console);

/// Recall and mAP over all cities and for each, one line each.
std::string challenge_text(const ChallengeScore& score);

/// The whole of `eval --score-msls`; returns the exit code.
int score_challenge(const ChallengeArgs& args, const DataArgs& data, Console& console);

}  // namespace revisit::cli

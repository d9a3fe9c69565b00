// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How match and query answer: one line per query, and more when more matches are asked for.
#pragma once

#include <optional>

#include "cli/console.h"
#include "revisit/lab/report.h"
#include "revisit/recognizer.h"

namespace revisit::cli {

/// The similarity below which the answer is "no match", after its notice, if it has one.
std::optional<double> told_threshold(const Threshold& threshold, Console& console);

/// The rule becomes part of the run's record; a notice about it is told.
void record_rule(const DecisionRule& rule, RunRecord& run, Console& console);

/// What was decided at a stated rate becomes part of the report; says so where the rate may not hold.
void record_verdicts(std::vector<Verdicts> verdicts, RunReport& report);
void tell_caution(const RunReport& report, const DecisionRule& rule, Console& console);

inline constexpr const char* kMinSimilarityHelp = "below it the answer is \"no match\"; default: as --max-false-rate says";
inline constexpr const char* kMaxFalseRateHelp =
    "the share of wrong answers to stay below, .001 to .5; default .1 where the index or the model is calibrated";
constexpr const char* kSequenceHelp =
    "photos of a drive in order of time or name: the matches of the last N support each other, 2 to 100; 0 or 1, the default: off";

/// A note for reports and --json.
void mention_sequence(Dataset& dataset, int frames);

/// matches_json, or for each query its first match (and `lines` - 1 more) and the recall when there is ground truth.
void print_answers(const RunReport& report, int lines, Console& console);

}  // namespace revisit::cli

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

constexpr const char* kSequenceHelp =
    "photos of a drive in order of time or name: the matches of the last N support each other, 2 to 100; 0 or 1, the default: not";

/// A note for reports and --json.
void mention_sequence(Dataset& dataset, int frames);

/// matches_json, or for each query its first match (and `lines` - 1 more) and the recall when there is ground truth.
void print_answers(const RunReport& report, int lines, Console& console);

}  // namespace revisit::cli

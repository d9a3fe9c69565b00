// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How match and query answer: the threshold below which it is "no match", and one line a query.
#pragma once

#include <optional>

#include "cli/console.h"
#include "revisit/extractor.h"
#include "revisit/lab/report.h"

namespace revisit::cli {

/// What the user said, else the model's calibrated value, with a notice when that was measured at other settings. Of whitened
/// descriptors nothing was measured: no value then.
std::optional<double> threshold_of(const std::optional<double>& asked, const ModelInfo& info, double rho, Size size,
                                   bool whitened, Console& console);

/// matches_json, or one line a query and the recall when there is ground truth.
void print_answers(const RunReport& report, Console& console);

}  // namespace revisit::cli

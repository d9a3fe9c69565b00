// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What a comparison's tables must agree on, wherever they come from.
#pragma once

#include <string>

#include "revisit/lab/compare.h"

namespace revisit::study {

/// recall_values in order, each once. Throws Error kUsage, beginning with `name`, for a config without data sets or rows, a row
/// without models or rhos, a name used twice, and a difference of something that is not measured.
void settle_compare(CompareConfig& config, const std::string& name);

}  // namespace revisit::study

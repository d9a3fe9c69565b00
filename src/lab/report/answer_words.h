// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The answer to one query in plain words, without markup.
#pragma once

#include <string>

#include "revisit/lab/report.h"

namespace revisit::report {

/// Why the query was answered or refused: "Accepted: similarity 0.842 reaches the threshold 0.310."
std::string why_words(const RunReport& report, int query);

/// Where the query was taken: "Answer: near 59.437012, 24.745100, where match 1 was taken.", by the first match with a known
/// place among those that reach the threshold; for a refused query, where such a match was taken. Empty when no reference has a
/// place or nothing was found.
std::string where_words(const RunReport& report, int query);

/// "59.437012, 24.745100", or "east 12.0 m, north 34.0 m" on a plane.
std::string place_words(const Position& position);

/// "12 m", "12 km".
std::string metres_words(double distance_m);

}  // namespace revisit::report

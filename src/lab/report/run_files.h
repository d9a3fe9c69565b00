// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Names of the files beside a run.json.
#pragma once

#include <cmath>

#include "revisit/lab/report.h"

namespace revisit::report {

inline constexpr const char* kPredictionsFile = "predictions.csv";
inline constexpr const char* kPhotosFile = "photos.csv";
inline constexpr const char* kTokensFile = "tokens.json";
inline constexpr const char* kLooksFile = "looks.json";
inline constexpr const char* kGeoJsonFile = "matches.geojson";

/// Finer than any colour, and short in tokens.json. Scores are rounded like this from the start, so that a redrawn page is the
/// same.
inline double rounded_score(float value) { return std::round(static_cast<double>(value) * 1e5) / 1e5; }

/// looks.json, empty without a second look; and back, for a report whose tables have been read.
std::string looks_json(const RunReport& report);
void read_looks(const std::filesystem::path& file, RunReport& report);

}  // namespace revisit::report

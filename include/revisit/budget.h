// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How much of a photo fits into a time: the rho for a number of milliseconds, from how fast a model runs on this machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "revisit/extractor.h"

namespace revisit {

/// The time of one rho, from preprocessed tensor to descriptor.
struct Speed {
  double rho = 1;
  double median_ms = 0;
  double upper_ms = 0;  ///< what must fit: third quartile and 3 %, so that the median does while photos are decoded
};

struct Calibration {
  std::string settings;         ///< what was measured: see speed_settings
  std::int64_t measured_s = 0;  ///< when, in seconds since 1970
  std::vector<Speed> speeds;    ///< by falling rho; the first is of rho 1
};

/// Everything a time depends on: model, size, precision and pruner, threads, CPU and its kernels, version of the library.
std::string speed_settings(const Extractor& extractor);

/// Measures for about `seconds`, more where three rounds take longer. The rhos alternate and share the extractor's weights; its
/// own rho does not matter. Only rho 1 for a model that cannot prune.
Calibration measure_speed(const Extractor& extractor, double seconds = 3);

/// One file per settings in a folder. Nothing unless it is whole, of these settings and less than 30 days old.
std::filesystem::path calibration_file(const std::filesystem::path& folder, const std::string& settings);
std::optional<Calibration> load_calibration(const std::filesystem::path& folder, const std::string& settings);
/// Creates the folder where necessary. Throws Error when it cannot be written.
void save_calibration(const std::filesystem::path& folder, const Calibration& calibration);

/// The largest rho, in hundredths, whose `upper_ms` is at most `budget_ms`, between measured ones by interpolation. Throws
/// Error kUsage with the fastest time when there is none.
double rho_within(const Calibration& calibration, double budget_ms);

struct BudgetChoice {
  double rho = 1;
  double median_ms = 0;               ///< expected
  std::string sentence;               ///< "budget 50 ms: rho 0.62, int8 (47 ms at the median here)"
  std::string notice;                 ///< why the measurement could not be kept; usually empty
  std::filesystem::path calibration;  ///< its file, free to be deleted; empty: none is kept
};

/// The rho for a budget, for with_rho(). A measurement is kept in `folder` and used again; without one it is made each time.
/// Throws Error kUsage when the budget is too small, or when the extractor has a `keep_mass`.
BudgetChoice choose_rho(const Extractor& extractor, double budget_ms, const std::filesystem::path& folder = {});

}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Place recognition without training: a VLAD vocabulary fitted on photos, over any backbone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "revisit/error.h"
#include "revisit/image.h"
#include "revisit/model.h"

namespace revisit {

struct FitVladOptions {
  int clusters = 32;            ///< words of the vocabulary, 2..1024
  int layer = 8;                ///< tokens are taken after this block, counted from 0
  std::optional<Size> size;     ///< input size, kept in the model; default: the backbone's
  std::uint64_t seed = 0;
  int threads = 0;
  Orientation orientation = Orientation::kApply;
  int max_tokens = 200'000;  ///< size of the sample the vocabulary is fitted on, spread evenly over the photos
};

struct FitVladReport {
  ModelInfo info;
  int photos = 0;
  std::int64_t tokens = 0;      ///< in the sample
  int rounds = 0;               ///< of k-means
  double mean_square_distance = 0;
  std::vector<Skipped> skipped;
};

/// Writes a complete model: the blocks up to `layer`, then hard assignment, residual sums and L2. progress(done, total) may
/// stop it by returning false (Error kInterrupted). Unreadable photos are in the report.
FitVladReport fit_vlad(const Model& backbone, const std::vector<std::filesystem::path>& photos, const std::filesystem::path& out,
                       const FitVladOptions& options = {}, const std::function<bool(int, int)>& progress = {});

}  // namespace revisit

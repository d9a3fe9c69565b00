// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What the options mean for a model: sizes rounded, words checked, work counted, before anything runs.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "engine/model/config.h"
#include "engine/reduce/pruner.h"
#include "revisit/extractor.h"

namespace revisit {

struct Plan {
  Size size;  // multiples of the patch
  reduce::PruneSettings prune;
  int threads = 0;
  std::vector<std::string> notices;  // one sentence for each setting that was adjusted
};

/// Throws Error kUsage for anything out of range.
Plan make_plan(const model::Config& config, const ExtractorOptions& options);

/// Throws Error kUsage unless both sides are positive multiples of the patch within the limit.
void check_tensor_size(Size size, int patch);

/// 10^9 multiply-adds of one forward: embedding, blocks before and after pruning, the pruner and the head.
double forward_gmac(const model::Config& config, const Plan& plan, Size size);

class Stopwatch {
 public:
  double ms() const { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What depends on nothing but the settings and the step: learning rate, rho, and the seed of dropout. A resumed run needs
// none of it stored.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/random.h"
#include "revisit/lab/train.h"

namespace revisit::train {

/// Share of the learning rate at `step` (from 0): linear warm-up times 1 - (1 - end) * min(step, decay) / decay.
inline double lr_factor(const TrainOptimiser& settings, std::int64_t step) {
  const double warm = settings.warmup_steps > 0 ? std::min(1.0, static_cast<double>(step + 1) / settings.warmup_steps) : 1.0;
  if (settings.decay_steps <= 0) return warm;
  const double done = static_cast<double>(std::min<std::int64_t>(step, settings.decay_steps)) / settings.decay_steps;
  return warm * (1 - (1 - settings.end_factor) * done);
}

inline std::uint64_t step_seed(std::uint64_t seed, std::uint64_t purpose, std::int64_t step) {
  return scatter(scatter(scatter(seed) ^ purpose) ^ static_cast<std::uint64_t>(step));
}

inline std::uint64_t dropout_seed(std::uint64_t seed, std::int64_t step) { return step_seed(seed, 0x64726f70ULL, step); }

/// 1, or a random share of the tokens for some steps if `random_rho_from` is below 1.
inline double rho_of_step(const TrainLoss& settings, std::uint64_t seed, std::int64_t step) {
  if (settings.random_rho_from >= 1 || step < settings.random_rho_after) return 1;
  SplitMix random(step_seed(seed, 0x72686fULL, step));
  if (random.uniform() < 1 - settings.random_rho_share) return 1;
  return settings.random_rho_from + (1 - settings.random_rho_from) * random.uniform();
}

/// Loss scaling for fp16: halved whenever a gradient overflows, doubled after a long stretch without.
class LossScale {
 public:
  static constexpr double kFirst = 65536, kLeast = 1, kMost = 16777216;
  static constexpr std::int64_t kPatience = 2000;

  double value = kFirst;
  std::int64_t good_steps = 0;

  void update(bool overflowed) {
    good_steps = overflowed ? 0 : good_steps + 1;
    if (overflowed) value = std::max(kLeast, value / 2);
    if (good_steps < kPatience) return;
    value = std::min(kMost, value * 2);
    good_steps = 0;
  }
};

}  // namespace revisit::train

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Which crops a step of distillation uses: some the teacher sees for the first time, the rest from its cache. A function of
// the settings and the step alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/random.h"

namespace revisit::train {

class CropRotation {
 public:
  CropRotation(int batch, double renewed_share, std::int64_t capacity, std::uint64_t seed)
      : batch_(batch),
        renewed_(std::clamp<std::int64_t>(static_cast<std::int64_t>(renewed_share * batch + 0.5), 1, batch)),
        capacity_(std::max<std::int64_t>(capacity, 4 * batch)),
        filling_steps_(std::clamp<std::int64_t>(capacity_ / 4 / batch, 2, 64)),
        seed_(seed) {}

  std::int64_t capacity() const { return capacity_; }

  /// Crops 0 .. made_before(step) - 1 have been made when `step` begins.
  std::int64_t made_before(std::int64_t step) const {
    const std::int64_t filling = std::min(step, filling_steps_);
    return filling * batch_ + (step - filling) * renewed_;
  }

  struct Step {
    std::vector<std::int64_t> fresh;   ///< for the teacher
    std::vector<std::int64_t> cached;  ///< none of them is written in this step or the one before: they can be read ahead
  };
  Step at(std::int64_t step) const {
    Step out;
    const std::int64_t first = made_before(step), end = made_before(step + 1);
    for (std::int64_t id = first; id < end; ++id) out.fresh.push_back(id);
    const std::int64_t newest = made_before(std::max<std::int64_t>(step - 1, 0));
    const std::int64_t oldest = std::max<std::int64_t>(0, end - capacity_);
    SplitMix random(scatter(scatter(seed_ ^ 0x726f74ULL) ^ static_cast<std::uint64_t>(step)));
    while (static_cast<int>(out.fresh.size() + out.cached.size()) < batch_) {
      out.cached.push_back(oldest + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(newest - oldest))));
    }
    return out;
  }

 private:
  std::int64_t batch_, renewed_, capacity_, filling_steps_;
  std::uint64_t seed_;
};

}  // namespace revisit::train

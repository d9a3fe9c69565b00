// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Two rates and the choice between them.
#include "recognise/ingest/pace.h"

#include <algorithm>

namespace revisit {
namespace {

constexpr std::size_t kWorthIt = 2;  // photos in all for each that is spent on finding out

}  // namespace

int Pace::measured(int threads) { return std::max(8, 2 * threads); }

Pace::Pace(int threads, std::size_t photos, int together)
    : threads_(threads), together_(std::max(2, together)), state_(State::kSettled) {
  const auto spent = static_cast<std::size_t>(together_ + warm_up(threads) + measured(threads));
  if (threads > 1 && photos >= kWorthIt * spent) state_ = State::kTogether;
}

void Pace::described_together(double now_s) {
  const std::lock_guard guard(mutex_);
  if (state_ != State::kTogether) return;
  if (++done_ == 1) start_s_ = now_s;  // the first one also brings the weights into memory
  if (done_ < together_) return;
  together_rate_ = (done_ - 1) / std::max(1e-9, now_s - start_s_);
  state_ = State::kTrial;
  done_ = 0;
  apart_ = true;
}

void Pace::described_apart(double now_s) {
  const std::lock_guard guard(mutex_);
  if (state_ != State::kTrial) return;
  if (++done_ == warm_up(threads_)) start_s_ = now_s;
  if (done_ < warm_up(threads_) + measured(threads_)) return;
  apart_ = measured(threads_) / std::max(1e-9, now_s - start_s_) > together_rate_;
  state_ = State::kSettled;
}

}  // namespace revisit

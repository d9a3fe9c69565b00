// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Which places make up which batch: a function of the sources, the seed and the step alone.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "training/feed/place_source.h"

namespace revisit::feed {

/// How many of a batch's places come from each source: in proportion to the weights, at least one where the weight is not zero.
/// Throws Error kUsage for invalid weights and for more sources than places.
std::vector<int> quotas_of(const std::vector<double>& weights, int places_per_batch);

/// Sources that fill whole batches in turn, in proportion to their weights: negatives from the same source are the hard ones.
class Turns {
 public:
  explicit Turns(const std::vector<double>& weights);

  struct Turn {
    std::size_t source;
    std::int64_t number;  ///< how many batches of that source came before
  };
  Turn at(std::int64_t step) const;
  /// Steps until the source has filled that many batches, in whole rounds.
  std::int64_t steps_for(std::size_t source, std::int64_t batches) const;

 private:
  std::vector<int> quotas_;  // of a round
  std::vector<Turn> round_;
};

/// The part of every batch that one source fills. In an epoch each place is shown once, group by group; the last batch is filled
/// up with places of the same epoch. A place that fits into no batch of its epoch, because of too many conflicts, waits for
/// the next one.
class SourcePlan {
 public:
  /// Throws Error kUsage when no `quota` places are compatible.
  SourcePlan(const PlaceSource& source, int quota, std::uint64_t seed);

  std::int64_t batches_per_epoch() const { return batches_; }
  /// `quota` places, all different and compatible. May be called from several threads at once.
  std::vector<int> places_of(std::int64_t step) const;

 private:
  using Epoch = std::vector<std::vector<int>>;  // (batches, quota)

  std::shared_ptr<const Epoch> epoch(std::int64_t number) const;
  Epoch make_epoch(std::int64_t number) const;
  std::vector<int> order_of(SplitMix& random) const;
  bool fits(int place, const std::vector<int>& batch) const;
  void place_left_over(Epoch& epoch, const std::vector<int>& left_over) const;
  void exchange_for(Epoch& epoch, int place) const;
  void complete(std::vector<int>& batch, const std::vector<int>& order) const;
  void fill_up(std::vector<int>& batch, const std::vector<int>& order) const;

  const PlaceSource& source_;
  std::size_t quota_;
  std::uint64_t seed_;
  std::int64_t batches_ = 0;
  std::vector<int> some_batch_;  // compatible places: the last resort
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<std::int64_t, std::shared_ptr<const Epoch>>> made_;  // the last two
};

}  // namespace revisit::feed

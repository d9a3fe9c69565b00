// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Shuffled within groups, then dealt out in order; a place that conflicts with the others of a batch waits for the next batch.
#include "training/feed/plan.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <tuple>

#include "core/base/fail.h"
#include "training/feed/sources.h"

namespace revisit::feed {
namespace {

constexpr int kSearches = 64;  // random searches for a batch of compatible places
constexpr int kRound = 24;     // turns in which shares are kept

}  // namespace

std::vector<int> quotas_of(const std::vector<double>& weights, int places_per_batch) {
  double sum = 0;
  int used = 0;
  for (const double weight : weights) {
    if (!(weight >= 0) || !std::isfinite(weight))
      fail(ErrorCode::kUsage, "a source's weight is {}, but must be 0 or more", weight);
    sum += weight;
    used += weight > 0 ? 1 : 0;
  }
  if (used == 0) {
    fail_with_hint(ErrorCode::kUsage, "give at least one source a weight above 0", "there is no source to take places from");
  }
  if (used > places_per_batch) {
    fail_with_hint(ErrorCode::kUsage, "raise places_per_batch, or leave sources out",
                   "{} sources cannot share a batch of {} places", used, places_per_batch);
  }
  // One each, then one at a time to the source furthest below its share.
  std::vector<int> out(weights.size(), 0);
  for (std::size_t i = 0; i < weights.size(); ++i) out[i] = weights[i] > 0 ? 1 : 0;
  for (int left = places_per_batch - used; left > 0; --left) {
    const auto lack = [&](std::size_t i) { return weights[i] / sum * places_per_batch - out[i]; };
    std::size_t next = 0;
    for (std::size_t i = 1; i < weights.size(); ++i) {
      if (weights[i] > 0 && (weights[next] <= 0 || lack(i) > lack(next))) next = i;
    }
    ++out[next];
  }
  return out;
}

Turns::Turns(const std::vector<double>& weights)
    : quotas_(quotas_of(weights, std::max(kRound, static_cast<int>(weights.size())))) {
  std::vector<int> taken(quotas_.size(), 0);
  const int length = std::accumulate(quotas_.begin(), quotas_.end(), 0);
  for (int turn = 1; turn <= length; ++turn) {
    // The one furthest behind: after each turn every source is within one of its share.
    const auto lack = [&](std::size_t i) { return static_cast<double>(quotas_[i]) * turn / length - taken[i]; };
    std::size_t next = 0;
    for (std::size_t i = 1; i < quotas_.size(); ++i) {
      if (lack(i) > lack(next)) next = i;
    }
    round_.push_back({next, taken[next]++});
  }
}

Turns::Turn Turns::at(std::int64_t step) const {
  const auto length = static_cast<std::int64_t>(round_.size());
  Turn out = round_[static_cast<std::size_t>(step % length)];
  out.number += step / length * quotas_[out.source];
  return out;
}

std::int64_t Turns::steps_for(std::size_t source, std::int64_t batches) const {
  const std::int64_t rounds = (batches + quotas_[source] - 1) / quotas_[source];
  return rounds * static_cast<std::int64_t>(round_.size());
}

SourcePlan::SourcePlan(const PlaceSource& source, int quota, std::uint64_t seed)
    : source_(source), quota_(static_cast<std::size_t>(quota)), seed_(seed) {
  batches_ = (source.places() + quota - 1) / quota;
  std::size_t most = 0;
  for (int attempt = 0; attempt < kSearches && most < quota_; ++attempt) {
    SplitMix random(seed_of(seed_, attempt, 0x74727921ULL));
    some_batch_.clear();
    fill_up(some_batch_, order_of(random));
    most = std::max(most, some_batch_.size());
  }
  if (most < quota_) {
    fail_with_hint(ErrorCode::kUsage, "lower places_per_batch, this source's weight, negative_m or negative_frames",
                   "no more than {} of the {} places of {} lie far enough apart for one batch, which takes {} of them", most,
                   grouped(source.places()), source.name(), quota);
  }
}

std::vector<int> SourcePlan::places_of(std::int64_t step) const {
  return (*epoch(step / batches_))[static_cast<std::size_t>(step % batches_)];
}

std::shared_ptr<const SourcePlan::Epoch> SourcePlan::epoch(std::int64_t number) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [made, plan] : made_) {
    if (made == number) return plan;
  }
  if (made_.size() == 2) made_.erase(made_.begin());
  made_.emplace_back(number, std::make_shared<const Epoch>(make_epoch(number)));
  return made_.back().second;
}

/// Groups in order, stretches in any, cut afresh each time. Within them as if the pictures were shuffled and places came in the
/// order of their first picture: the times until one of n pictures comes up are exponential, n times as short as for one.
std::vector<int> SourcePlan::order_of(SplitMix& random) const {
  std::vector<std::tuple<int, double, int>> keys;  // group, time, place
  keys.reserve(static_cast<std::size_t>(source_.places()));
  const int stretch = source_.stretch();
  const int cut = stretch > 0 ? static_cast<int>(random.below(static_cast<std::uint64_t>(stretch))) : 0;
  const std::uint64_t shuffle = stretch > 0 ? random.next() : 0;
  const auto group_of = [&](int place) {
    if (stretch == 0) return source_.group(place);
    const auto number = static_cast<std::uint64_t>((source_.frame(place) + cut) / stretch);
    return static_cast<int>(scatter(shuffle ^ number) >> 33U);
  };
  for (int place = 0; place < source_.places(); ++place) {
    keys.emplace_back(group_of(place), -std::log1p(-random.uniform()) / source_.images(place), place);
  }
  std::ranges::sort(keys);
  std::vector<int> out;
  out.reserve(keys.size());
  for (const auto& [group, time, place] : keys) out.push_back(place);
  return out;
}

bool SourcePlan::fits(int place, const std::vector<int>& batch) const {
  return std::ranges::all_of(batch, [&](int other) { return other != place && source_.may_meet(place, other); });
}

SourcePlan::Epoch SourcePlan::make_epoch(std::int64_t number) const {
  SplitMix random(seed_of(seed_ + static_cast<std::uint64_t>(number)));
  const std::vector<int> order = order_of(random);
  Epoch out(static_cast<std::size_t>(batches_));
  std::vector<int> waiting;
  auto next = order.begin();
  for (auto& batch : out) {
    std::vector<int> still_waiting;
    const auto deal = [&](int place) {
      const bool taken = batch.size() < quota_ && fits(place, batch);
      (taken ? batch : still_waiting).push_back(place);
    };
    for (const int place : waiting) deal(place);
    while (batch.size() < quota_ && next != order.end()) deal(*next++);
    waiting = std::move(still_waiting);
  }
  place_left_over(out, waiting);
  for (auto& batch : out) {
    if (batch.size() < quota_) complete(batch, order);
  }
  return out;
}

/// With places that are also shown elsewhere in this epoch.
void SourcePlan::complete(std::vector<int>& batch, const std::vector<int>& order) const {
  // From where the batch's own group starts: a batch stays in its city.
  const int group = batch.empty() ? 0 : source_.group(batch.back());
  const auto start = std::ranges::find_if(order, [&](int place) { return source_.group(place) == group; });
  std::vector<int> candidates(start, order.end());
  candidates.insert(candidates.end(), order.begin(), start);
  if (source_.stretch() > 0 && !batch.empty()) {
    const int here = source_.frame(batch.back());
    std::ranges::stable_sort(candidates, {}, [&](int place) { return std::abs(source_.frame(place) - here); });
  }
  std::size_t own = batch.size();
  fill_up(batch, candidates);
  // Too crowded: drop the batch's own places one by one, if necessary all of them.
  while (batch.size() < quota_ && own > 0) {
    batch.resize(--own);
    fill_up(batch, candidates);
  }
  if (batch.size() < quota_) batch = some_batch_;
}

void SourcePlan::place_left_over(Epoch& epoch, const std::vector<int>& left_over) const {
  for (const int place : left_over) {
    const auto room = std::ranges::find_if(epoch, [&](const auto& batch) { return batch.size() < quota_ && fits(place, batch); });
    if (room != epoch.end()) {
      room->push_back(place);
    } else {
      exchange_for(epoch, place);
    }
  }
}

/// Puts `place` where another one can move to a batch with room.
void SourcePlan::exchange_for(Epoch& epoch, int place) const {
  for (auto& batch : epoch) {
    const auto in_the_way = std::ranges::count_if(batch, [&](int other) { return !source_.may_meet(place, other); });
    if (in_the_way > 1) continue;
    for (int& member : batch) {
      if (in_the_way == 1 && source_.may_meet(place, member)) continue;
      const auto room = std::ranges::find_if(
          epoch, [&](const auto& other) { return &other != &batch && other.size() < quota_ && fits(member, other); });
      if (room == epoch.end()) continue;
      room->push_back(member);
      member = place;
      return;
    }
  }
}

void SourcePlan::fill_up(std::vector<int>& batch, const std::vector<int>& order) const {
  for (const int place : order) {
    if (batch.size() >= quota_) return;
    if (fits(place, batch)) batch.push_back(place);
  }
}

}  // namespace revisit::feed

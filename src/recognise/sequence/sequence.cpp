// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A forward filter of second order over the candidates of each frame: where the camera is and how fast it goes. How far it went
// since the last frame is read off the pictures: two frames are about as similar as the two rows they were taken at.
#include "recognise/sequence/sequence.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace revisit::sequence {
namespace {

constexpr int kMostBack = 2;      // frames between two spots of a move
constexpr int kMeasured = 64;     // pairs of neighbouring rows that the map is measured by
constexpr double kNearSteps = 2;  // what counts as the same place
constexpr double kLeastChange = 1e-3;
constexpr std::size_t kMostKept = 20'000;  // changes between rows

/// Empty when one of them is not known.
std::optional<double> change_between(std::span<const float> a, std::span<const float> b) {
  if (a.empty() || a.size() != b.size()) return std::nullopt;
  constexpr std::size_t kLanes = 16;  // sums side by side, which the compiler computes at once
  float sums[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= a.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  for (; i < a.size(); ++i) sums[0] += a[i] * b[i];
  const double change = 1 - std::accumulate(std::begin(sums), std::end(sums), 0.0);
  return std::isfinite(change) ? std::optional(change) : std::nullopt;
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// 1 when they agree, falling off slowly: a wrong one among many must not rule out a track.
double agreement(double difference, double scale) {
  const double ratio = difference / scale;
  const double tail = 1 + ratio * ratio;
  return 1 / (tail * tail);
}

}  // namespace

Filter::Filter(int window, Motion motion) : window_(window), motion_(motion) {}

// The map's own change per step tells what a difference in similarity means to this model on these photos.
void Filter::measure(const Map& map) {
  measured_rows_ = map.rows;
  std::vector<double> changes, metres;
  const int pairs = std::min(kMeasured, map.rows - 1);
  for (int i = 0; i < pairs; ++i) {
    const int row = static_cast<int>(static_cast<std::int64_t>(map.rows - 1) * i / pairs);
    if (const auto change = change_between(map.descriptor(row), map.descriptor(row + 1))) changes.push_back(*change);
    const auto here = map.position ? map.position(row) : std::nullopt,
               there = map.position ? map.position(row + 1) : std::nullopt;
    if (here && there) metres.push_back(std::hypot(there->east_m - here->east_m, there->north_m - here->north_m));
  }
  change_ = changes.empty() ? 1 : std::max(kLeastChange, median(changes));
  const bool placed = pairs > 0 && metres.size() == static_cast<std::size_t>(pairs);
  step_m_ = placed ? median(metres) : 0;
}

Filter::Spot Filter::spot_of(int row, const Map& map) const {
  if (step_m_ > 0) {
    if (const auto place = map.position(row)) return {row, place->east_m / step_m_, place->north_m / step_m_};
  }
  return {row, static_cast<double>(row), 0};
}

/// Rows come up frame after frame, so what was computed is kept for a while.
std::optional<double> Filter::change_of_map(int a, int b, const Map& map) {
  if (a == b) return 0;
  if (changes_.size() > kMostKept) changes_.clear();
  const auto [at, is_new] = changes_.try_emplace({std::min(a, b), std::max(a, b)});
  if (is_new) at->second = change_between(map.descriptor(a), map.descriptor(b));
  return at->second;
}

void Filter::find_moves(Frame& now, const Map& map) {
  now.moves.resize(now.spots.size());
  for (int back = 1; back <= std::min(kMostBack, static_cast<int>(frames_.size())); ++back) {
    const Frame& earlier = frames_[frames_.size() - static_cast<std::size_t>(back)];
    const auto seen = change_between(now.descriptor, earlier.descriptor);
    for (std::size_t to = 0; to < now.spots.size(); ++to) {
      for (std::size_t from = 0; from < earlier.spots.size(); ++from) {
        const Spot &end = now.spots[to], &start = earlier.spots[from];
        Move move{from, static_cast<std::size_t>(back), (end.x - start.x) / back, (end.y - start.y) / back,
                  back == 1 ? 1 - motion_.missing : motion_.missing};
        if (std::hypot(move.vx, move.vy) > motion_.reach) continue;
        const auto mapped = change_of_map(end.row, start.row, map);
        if (seen && mapped) move.likely *= agreement(*seen - *mapped, motion_.odometer * change_);
        now.moves[to].push_back(move);
      }
    }
  }
}

Filter::Belief Filter::believed(std::size_t at, const std::vector<Belief>& before) const {
  const Frame& frame = frames_[at];
  const double anywhere = 1.0 / std::max(1, rows_), any_speed = 1 / (2 * motion_.reach + 1);
  const double same_speed = 2 / (std::numbers::pi * motion_.speed_change);  // so that all speeds together have about 1
  Belief out;
  double total = 0;
  for (std::size_t spot = 0; spot < frame.spots.size(); ++spot) {
    const double likelihood = frame.likelihood[spot];
    total += out.arrived.emplace_back(likelihood * anywhere * (at == 0 ? 1 : motion_.jump));
    auto& moved = out.moved.emplace_back();
    for (const Move& move : frame.moves[spot]) {
      double reached = 0;
      if (move.back <= at) {  // else it comes from a frame that no longer counts
        const Belief& then = before[at - move.back];
        const auto& earlier = frames_[at - move.back].moves[move.from];
        reached = then.arrived[move.from] * any_speed;
        for (std::size_t i = 0; i < earlier.size(); ++i) {
          if (then.moved[move.from][i] == 0) continue;
          const double turn = std::hypot(move.vx - earlier[i].vx, move.vy - earlier[i].vy);
          reached += then.moved[move.from][i] * same_speed * agreement(turn, motion_.speed_change);
        }
      }
      total += moved.emplace_back(likelihood * (1 - motion_.jump) * move.likely * reached);
    }
  }
  if (!(total > 0)) return out;
  const double alone = std::accumulate(frame.likelihood.begin(), frame.likelihood.end(), 0.0) * anywhere;
  out.evidence = std::log(total / alone);
  for (double& value : out.arrived) value /= total;
  for (auto& spot : out.moved) {
    for (double& value : spot) value /= total;
  }
  return out;
}

// Frames may have no order at all. Two hypotheses explain the window, a camera that moves and photos of anywhere, and count by
// how well they do.
std::vector<double> Filter::mixed(const std::vector<Belief>& beliefs) const {
  double evidence = 0;
  for (const Belief& belief : beliefs) evidence += belief.evidence;
  const double moves = 1 / (1 + std::exp(-evidence) * (1 - motion_.in_order) / motion_.in_order);
  const auto& likelihood = frames_.back().likelihood;
  const double sum = std::accumulate(likelihood.begin(), likelihood.end(), 0.0);
  std::vector<double> out;
  for (std::size_t i = 0; i < likelihood.size(); ++i) {
    const auto& moved = beliefs.back().moved[i];
    const double here = std::accumulate(moved.begin(), moved.end(), beliefs.back().arrived[i]);
    out.push_back(moves * here + (1 - moves) * likelihood[i] / sum);
  }
  return out;
}

std::vector<Ranked> Filter::next(std::span<const float> frame, std::span<const Match> candidates, const Map& map) {
  if (frames_.empty() || map.rows > measured_rows_ + measured_rows_ / 8) measure(map);
  rows_ = map.rows;
  Frame now;
  now.descriptor.assign(frame.begin(), frame.end());
  for (const Match& match : candidates.first(std::min(candidates.size(), static_cast<std::size_t>(kSequenceCandidates)))) {
    now.spots.push_back(spot_of(match.row, map));
    const double less = static_cast<double>(candidates.front().similarity) - static_cast<double>(match.similarity);
    now.likelihood.push_back(std::exp(-less / (motion_.temperature * change_)));
  }
  find_moves(now, map);
  frames_.push_back(std::move(now));
  if (frames_.size() > static_cast<std::size_t>(window_)) frames_.pop_front();

  std::vector<Belief> beliefs;
  for (std::size_t at = 0; at < frames_.size(); ++at) beliefs.push_back(believed(at, beliefs));
  const auto& spots = frames_.back().spots;
  const std::vector<double> belief = mixed(beliefs);
  std::vector<Ranked> out;
  for (std::size_t i = 0; i < spots.size(); ++i) {
    double support = 0;
    for (std::size_t j = 0; j < spots.size(); ++j) {
      if (std::hypot(spots[i].x - spots[j].x, spots[i].y - spots[j].y) <= kNearSteps) support += belief[j];
    }
    out.push_back({i, std::min(1.0, support)});
  }
  std::ranges::stable_sort(out, [&](const Ranked& a, const Ranked& b) { return belief[a.candidate] > belief[b.candidate]; });
  return out;
}

}  // namespace revisit::sequence

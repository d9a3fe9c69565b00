// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Matches of consecutive frames support each other: a Bayes filter over the candidates of the last frames. It knows descriptors
// and where rows stand, and no images (docs/decisions/0037-a-camera-moves.md).
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "revisit/geo.h"
#include "revisit/index.h"
#include "revisit/sequence.h"

namespace revisit::sequence {

/// What the filter asks about the rows that were searched. Rows that follow each other are taken as photos of one drive.
struct Map {
  int rows = 0;
  std::function<std::span<const float>(int row)> descriptor;      ///< unit length; empty or zero: the row counts as unknown
  std::function<std::optional<Position>(int row)> position = {};  ///< none: places are told by row order alone
};

/// How a camera moves, in steps: one step leads from a row to the next, or as many metres as rows usually lie apart.
struct Motion {
  double in_order = 0.12;     ///< share of windows that are taken to be of one drive before they are looked at
  double jump = 0.1;          ///< share of the frames of a drive after which the camera may be anywhere
  double reach = 5;           ///< steps per frame at most, in either direction
  double speed_change = 0.5;  ///< steps per frame by which the speed changes from frame to frame
  double missing = 0.3;       ///< weight of passing over a frame whose candidates were all wrong
  // In units of the map's own change per step, which is 1 - similarity of neighbouring rows:
  double temperature = 0.05;  ///< of similarities
  double odometer = 0.3;      ///< difference between the change from frame to frame and that from row to row
};

/// A candidate in its new place.
struct Ranked {
  std::size_t candidate = 0;  ///< index into what next() was given
  double support = 0;         ///< belief that the camera is at most two steps from it, 0 to 1
};

class Filter {
 public:
  /// `window`: frames that count, this one included.
  explicit Filter(int window, Motion motion = {});

  /// One more frame: its descriptor and its matches, best first. Returns them most likely first; a frame without matches is
  /// passed over. The past is what next() was given since the last reset(), `window` - 1 frames of it at most.
  std::vector<Ranked> next(std::span<const float> frame, std::span<const Match> candidates, const Map& map);
  void reset() { frames_.clear(); }
  int window() const { return window_; }

 private:
  struct Spot {
    int row = 0;
    double x = 0, y = 0;  // steps
  };
  /// The camera went from spot `from` of the frame `back` frames earlier to the spot that owns the move.
  struct Move {
    std::size_t from = 0, back = 1;
    double vx = 0, vy = 0;  // steps per frame
    double likely = 0;
  };
  struct Frame {
    std::vector<float> descriptor;
    std::vector<Spot> spots;
    std::vector<double> likelihood;        // of each spot
    std::vector<std::vector<Move>> moves;  // to each spot
  };
  /// What is believed about the spots of a frame, 1 in all.
  struct Belief {
    std::vector<double> arrived;             // from anywhere, with a speed not known yet
    std::vector<std::vector<double>> moved;  // as the frame's moves
    double evidence = 0;                     // for a camera that moves, against photos of anywhere: log of the odds
  };

  void measure(const Map& map);
  Spot spot_of(int row, const Map& map) const;
  std::optional<double> change_of_map(int a, int b, const Map& map);
  void find_moves(Frame& now, const Map& map);
  std::vector<double> mixed(const std::vector<Belief>& beliefs) const;
  Belief believed(std::size_t frame, const std::vector<Belief>& before) const;

  int window_;
  Motion motion_;
  std::deque<Frame> frames_;  // oldest first
  int rows_ = 0, measured_rows_ = 0;
  double change_ = 1;                                             // of the map per step: 1 - similarity
  double step_m_ = 0;                                             // metres per step; 0: rows are counted
  std::map<std::pair<int, int>, std::optional<double>> changes_;  // between rows
};

/// The filter's next frame: `matches` in their new order, the best `top_k` of them, and the support of each. Those after the
/// first kSequenceCandidates stay where they are and have none.
std::vector<double> follow(Filter& filter, std::span<const float> frame, const Map& map, int top_k, std::vector<Match>& matches);

}  // namespace revisit::sequence

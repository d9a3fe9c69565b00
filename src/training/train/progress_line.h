// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How far the run is: one rewriting line on a terminal, otherwise a line every ten seconds; and sentences in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace revisit::train {

struct TrainProgress {
  std::int64_t done = 0, total = 0;  ///< steps
  double images_per_s = 0;
  double left_s = 0;
  double loss = 0;
  double waiting = 0;  ///< share of the time spent waiting for pictures
  std::int64_t unreadable = 0;
};

/// "training 120/4000  3.0 %  18.2 img/s  ETA 15:12  loss 0.8123  waiting 2 %"
std::string format_progress(const TrainProgress& progress);

class ProgressLine {
 public:
  using Clock = std::function<double()>;  ///< seconds, from any origin
  using Sink = std::function<void(const std::string&)>;

  ProgressLine();  ///< to stderr
  ProgressLine(bool terminal, Clock clock, Sink sink);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(const TrainProgress& progress);
  void say(const std::string& sentence);  ///< a line of its own
  void clear();                           ///< wipes the terminal line

 private:
  bool terminal_;
  Clock clock_;
  Sink sink_;
  double shown_s_;
  std::size_t shown_columns_ = 0;
};

}  // namespace revisit::train

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What the run is doing and its progress: one rewritten line on a terminal, otherwise a line at least every ten seconds, even
// while a single call takes minutes; and messages in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

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

/// Its functions may be called from any thread.
class ProgressLine {
 public:
  using Clock = std::function<double()>;  ///< seconds, from any origin
  using Sink = std::function<void(const std::string&)>;

  ProgressLine();                                       ///< to stderr, with a thread that calls tick()
  ProgressLine(bool terminal, Clock clock, Sink sink);  ///< without one
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// What happens from now on, such as "reading the backbone 'a.pth'", until the next begin, update or clear. The first one is
  /// shown at once, others only if they last: quick ones need no line.
  void begin(const std::string& stage);
  void count(std::int64_t done, std::int64_t total);  ///< parts of the stage
  void update(const TrainProgress& progress);
  void say(const std::string& sentence);  ///< a line of its own
  void clear();                           ///< wipes the terminal line; ends the current stage
  void tick();                            ///< shows what is due

 private:
  void show(const std::string& line);  // the mutex is held by callers of these
  void show_stage();
  void wipe();
  std::string stage_line() const;

  std::mutex mutex_;
  bool terminal_;
  Clock clock_;
  Sink sink_;
  std::string stage_;        // empty: none
  std::string shown_stage_;  // the last one that had a line
  double stage_since_s_ = 0;
  std::int64_t stage_done_ = 0, stage_total_ = 0;
  std::string progress_;  // the last line of update(), empty before the first
  double progress_since_s_ = 0;
  double shown_s_;         // the last progress or stage
  double heard_s_ = -1e9;  // the last output of any kind
  std::size_t shown_columns_ = 0;
  std::jthread ticker_;  // last: it uses all of the above
};

}  // namespace revisit::train

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Progress of a long run: one rewritten line on a terminal, otherwise a line every ten seconds.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace revisit::cli {

struct ProgressState {
  std::string label;     ///< "describing"
  std::size_t done = 0;  ///< skipped items included
  std::size_t total = 0;
  std::size_t skipped = 0;
  double elapsed_s = 0;
};

/// "0:07", "15:12", "1:02:03"; "?" while unknown.
std::string format_eta(double seconds);

/// "describing 1240/10000  12.4 %  9.6 img/s  ETA 15:12  skipped 2"
std::string format_progress(const ProgressState& state);

class Progress {
 public:
  using Clock = std::function<double()>;  ///< seconds, from any origin
  using Sink = std::function<void(const std::string&)>;

  Progress(std::string label, std::size_t total, bool quiet);  ///< to stderr
  Progress(std::string label, std::size_t total, bool terminal, Clock clock, Sink sink);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::size_t done, std::size_t skipped);
  void clear();  ///< wipes the terminal line so that other text can be printed

 private:
  ProgressState state_;
  bool terminal_;
  Clock clock_;
  Sink sink_;
  double start_s_;
  double shown_s_;
  std::size_t shown_columns_ = 0;
};

}  // namespace revisit::cli

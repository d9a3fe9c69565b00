// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Rate and remaining time are plain means since the start: the images of a run take about the same time.
#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <utility>

namespace revisit::cli {
namespace {

constexpr double kTerminalPeriod_s = 0.1;
constexpr double kLogPeriod_s = 10;

double steady_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void to_stderr(const std::string& text) { [[maybe_unused]] const auto put = ::write(STDERR_FILENO, text.data(), text.size()); }

}  // namespace

std::string format_eta(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0 || seconds > 1e9) return "?";
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string format_progress(const ProgressState& state) {
  const auto done = static_cast<double>(state.done);
  const auto total = static_cast<double>(state.total);
  const double rate = state.elapsed_s > 0 ? done / state.elapsed_s : 0;
  const double left_s = rate > 0 ? (total - done) / rate : -1;
  auto line = fmt::format("{} {}/{}  {:.1f} %  {:.1f} img/s  ETA {}", state.label, state.done, state.total,
                          total > 0 ? 100 * done / total : 100.0, rate, format_eta(left_s));
  if (state.skipped > 0) line += fmt::format("  skipped {}", state.skipped);
  return line;
}

Progress::Progress(std::string label, std::size_t total, bool quiet)
    : Progress(std::move(label), total, ::isatty(STDERR_FILENO) == 1, steady_seconds, quiet ? Sink() : Sink(to_stderr)) {}

Progress::Progress(std::string label, std::size_t total, bool terminal, Clock clock, Sink sink)
    : state_{std::move(label), 0, total, 0, 0},
      terminal_(terminal),
      clock_(std::move(clock)),
      sink_(std::move(sink)),
      start_s_(clock_()),
      shown_s_(start_s_) {}

void Progress::update(std::size_t done, std::size_t skipped) {
  const double now_s = clock_();
  if (!sink_ || now_s - shown_s_ < (terminal_ ? kTerminalPeriod_s : kLogPeriod_s)) return;
  shown_s_ = now_s;
  state_.done = done;
  state_.skipped = skipped;
  state_.elapsed_s = now_s - start_s_;
  const auto line = format_progress(state_);
  if (!terminal_) {
    sink_(line + "\n");
    return;
  }
  const std::size_t rest = shown_columns_ > line.size() ? shown_columns_ - line.size() : 0;
  sink_("\r" + line + std::string(rest, ' '));
  shown_columns_ = line.size();
}

void Progress::clear() {
  if (shown_columns_ > 0) sink_("\r" + std::string(shown_columns_, ' ') + "\r");
  shown_columns_ = 0;
}

}  // namespace revisit::cli

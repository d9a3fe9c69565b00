// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The words of the line, and when it is shown.
#include "training/train/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <utility>

namespace revisit::train {
namespace {

constexpr double kTerminalPeriod_s = 0.1;
constexpr double kLogPeriod_s = 10;

double steady_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void to_stderr(const std::string& text) { [[maybe_unused]] const auto put = ::write(STDERR_FILENO, text.data(), text.size()); }

std::string format_left(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0 || seconds > 1e9) return "?";
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

std::string format_progress(const TrainProgress& progress) {
  const double percent =
      progress.total > 0 ? 100.0 * static_cast<double>(progress.done) / static_cast<double>(progress.total) : 100;
  std::string line =
      fmt::format("training {}/{}  {:.1f} %  {:.1f} img/s  ETA {}  loss {:.4f}  waiting {:.0f} %", progress.done, progress.total,
                  percent, progress.images_per_s, format_left(progress.left_s), progress.loss, 100 * progress.waiting);
  if (progress.unreadable > 0) line += fmt::format("  unreadable {}", progress.unreadable);
  return line;
}

ProgressLine::ProgressLine() : ProgressLine(::isatty(STDERR_FILENO) == 1, steady_seconds, to_stderr) {}

ProgressLine::ProgressLine(bool terminal, Clock clock, Sink sink)
    : terminal_(terminal), clock_(std::move(clock)), sink_(std::move(sink)), shown_s_(clock_()) {}

void ProgressLine::update(const TrainProgress& progress) {
  const double now_s = clock_();
  if (now_s - shown_s_ < (terminal_ ? kTerminalPeriod_s : kLogPeriod_s)) return;
  shown_s_ = now_s;
  const auto line = format_progress(progress);
  if (!terminal_) return sink_(line + "\n");
  const std::size_t rest = shown_columns_ > line.size() ? shown_columns_ - line.size() : 0;
  sink_("\r" + line + std::string(rest, ' '));
  shown_columns_ = line.size();
}

void ProgressLine::say(const std::string& sentence) {
  clear();
  sink_(sentence + "\n");
}

void ProgressLine::clear() {
  if (shown_columns_ > 0) sink_("\r" + std::string(shown_columns_, ' ') + "\r");
  shown_columns_ = 0;
}

}  // namespace revisit::train

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The text of the line, and when it is shown.
#include "training/train/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <stop_token>
#include <utility>

namespace revisit::train {
namespace {

constexpr double kTerminalPeriod_s = 0.1;
constexpr double kLogPeriod_s = 10;
constexpr double kLasting_s = 1;  // a stage that takes longer gets a line of its own
constexpr std::chrono::milliseconds kTick{250};

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

ProgressLine::ProgressLine() : ProgressLine(::isatty(STDERR_FILENO) == 1, steady_seconds, to_stderr) {
  ticker_ = std::jthread([this](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any asleep;
    std::unique_lock lock(mutex);
    while (!asleep.wait_for(lock, stop, kTick, [&] { return stop.stop_requested(); })) tick();
  });
}

ProgressLine::ProgressLine(bool terminal, Clock clock, Sink sink)
    : terminal_(terminal), clock_(std::move(clock)), sink_(std::move(sink)), shown_s_(clock_()) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::begin(const std::string& stage) {
  const std::lock_guard lock(mutex_);
  const bool first = stage_.empty() && shown_stage_.empty() && progress_.empty();
  stage_ = stage;
  stage_since_s_ = clock_();
  stage_done_ = stage_total_ = 0;
  if (first) show_stage();
}

void ProgressLine::count(std::int64_t done, std::int64_t total) {
  const std::lock_guard lock(mutex_);
  stage_done_ = done;
  stage_total_ = total;
}

void ProgressLine::update(const TrainProgress& progress) {
  const std::lock_guard lock(mutex_);
  const double now_s = clock_();
  stage_.clear();
  progress_ = format_progress(progress);
  progress_since_s_ = now_s;
  if (now_s - shown_s_ < (terminal_ ? kTerminalPeriod_s : kLogPeriod_s)) return;
  show(progress_);
}

void ProgressLine::tick() {
  const std::lock_guard lock(mutex_);
  const double now_s = clock_();
  if (stage_.empty() && progress_.empty()) return;
  const bool learning = !progress_.empty();
  if (learning && now_s - progress_since_s_ < (terminal_ ? kLasting_s : kLogPeriod_s)) return;  // update() shows what there is
  if (stage_.empty()) {
    if (now_s - heard_s_ >= kLogPeriod_s) show(fmt::format("{}  ({:.0f} s)", progress_, now_s - progress_since_s_));
    return;
  }
  const bool is_new = !learning && stage_ != shown_stage_ && now_s - stage_since_s_ >= kLasting_s;
  if (terminal_ ? now_s - shown_s_ >= kTerminalPeriod_s : is_new || now_s - heard_s_ >= kLogPeriod_s) show_stage();
}

void ProgressLine::say(const std::string& sentence) {
  const std::lock_guard lock(mutex_);
  wipe();
  sink_(sentence + "\n");
  heard_s_ = clock_();
}

void ProgressLine::clear() {
  const std::lock_guard lock(mutex_);
  wipe();
  stage_.clear();
  progress_.clear();
}

std::string ProgressLine::stage_line() const {
  std::string line = stage_;
  if (stage_total_ > 0) line += fmt::format("  {}/{}", stage_done_, stage_total_);
  const double seconds = clock_() - stage_since_s_;
  if (seconds >= kLasting_s) line += fmt::format("  {:.0f} s", seconds);
  return line;
}

void ProgressLine::show_stage() {
  shown_stage_ = stage_;
  show(stage_line());
}

void ProgressLine::show(const std::string& line) {
  shown_s_ = heard_s_ = clock_();
  if (!terminal_) return sink_(line + "\n");
  const std::size_t rest = shown_columns_ > line.size() ? shown_columns_ - line.size() : 0;
  sink_("\r" + line + std::string(rest, ' '));
  shown_columns_ = line.size();
}

void ProgressLine::wipe() {
  if (shown_columns_ > 0) sink_("\r" + std::string(shown_columns_, ' ') + "\r");
  shown_columns_ = 0;
}

}  // namespace revisit::train

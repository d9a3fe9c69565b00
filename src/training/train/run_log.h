// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// log.jsonl: one object per step and per validation, in order. It is also the lock: only one run at a time writes to a folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "training/train/learner.h"
#include "training/train/validation.h"

namespace revisit::train {

struct LoggedStep {
  std::int64_t step = 0;
  double loss = 0;
};
struct LoggedValidation {
  std::int64_t step = 0;
  Recalls recalls;
};
/// The data of the curve.
struct History {
  std::vector<LoggedStep> steps;
  std::vector<LoggedValidation> validations;
};

/// Further data of a step's line. Times are the only fields that differ between two runs of one configuration.
struct StepSurroundings {
  double images_per_s = 0;
  double waiting = 0;  ///< share of the time spent waiting for pictures
  std::int64_t unreadable = 0;
  std::vector<std::string> unreadable_now;
};

class RunLog {
 public:
  /// Opens or makes the file and takes the lock. Throws Error kIo when another process writes there.
  explicit RunLog(const std::filesystem::path& path);
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  bool empty() const;
  /// Cuts the file after the lines of `step` and of the validation of `validated_step`, and what a crash left unfinished.
  void cut(std::int64_t step, std::int64_t validated_step);
  void add(std::int64_t step, const StepResult& result, const StepSurroundings& surroundings);
  void add(std::int64_t step, const Recalls& recalls, double seconds);
  using Values = std::vector<std::pair<std::string, double>>;
  void add(std::int64_t step, const Values& values);  ///< a step given as plain numbers; "loss" is drawn

  const History& history() const { return history_; }

 private:
  void write(std::string line);

  std::string name_;
  int fd_ = -1;
  History history_;
};

}  // namespace revisit::train

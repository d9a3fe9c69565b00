// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One step of distillation: pictures and a teacher's tokens in, a better student out. The header does not need torch.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/model/config.h"
#include "revisit/lab/train.h"
#include "training/train/learner.h"

namespace revisit::train {

struct StudentBatch {
  std::int64_t step = 0;
  int images = 0;
  Size size;
  std::vector<float> pixels;           ///< (images, 3, height, width), normalised
  std::vector<std::uint16_t> targets;  ///< (images, rows, widths of the teachers), f16
};

struct StudentResult {
  bool finite = true;
  double loss = 0;
  double cosine = 0;    ///< mean over tokens and teachers, 1 when they agree with the student
  double distance = 0;  ///< smooth L1
  double lr = 0;
};

/// f32 as IEEE half precision, rounded to nearest.
std::vector<std::uint16_t> to_half(const std::vector<float>& values);

class Student {
 public:
  /// Throws Error kUsage for a device this LibTorch cannot serve.
  Student(const TrainConfig& config, const model::LoadedModel& start, int teacher_rows,
          const std::vector<int>& teacher_widths);
  ~Student();
  Student(const Student&) = delete;
  Student& operator=(const Student&) = delete;

  StudentResult learn(const StudentBatch& batch);
  double cosine(const StudentBatch& batch) const;  ///< without learning

  model::LoadedModel model() const;
  LearnerState state() const;
  void restore(const LearnerState& state);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace revisit::train

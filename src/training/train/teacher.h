// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The teachers of a backbone: trained ViTs in our own engine, which is faster than torch and keeps nothing for gradients.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "revisit/image.h"
#include "revisit/lab/train.h"

namespace revisit::train {

class Teacher {
 public:
  /// Its size must be a multiple of its patch. Throws Error kUsage, and what reading a model throws.
  explicit Teacher(const TrainTeacher& settings);
  ~Teacher();
  Teacher(const Teacher&) = delete;
  Teacher& operator=(const Teacher&) = delete;

  /// (1 + patches, width): the tokens of CLS and patches after the block, each with mean 0 and variance 1.
  std::vector<float> tokens_of(const Image& image);

  int rows() const;  ///< 1 + patches
  int width() const;
  Size grid() const;
  std::string fingerprint() const;  ///< of everything its tokens depend on

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Several teachers with the same patches. Their tokens are concatenated.
class Teachers {
 public:
  /// Throws Error kUsage for none, and for teachers with different grids.
  explicit Teachers(const std::vector<TrainTeacher>& settings);

  std::vector<float> tokens_of(const Image& image);  ///< (rows, sum of the widths)

  int rows() const { return teachers_.front()->rows(); }
  Size grid() const { return teachers_.front()->grid(); }
  Size size() const { return size_; }  ///< large enough for each of them
  const std::vector<int>& widths() const { return widths_; }
  std::string fingerprint() const;

 private:
  std::vector<std::unique_ptr<Teacher>> teachers_;
  std::vector<int> widths_;
  Size size_{0, 0};
};

}  // namespace revisit::train

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The teacher of a backbone: a trained ViT in our own engine, which is faster than torch and keeps nothing for gradients.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "revisit/image.h"

namespace revisit::train {

class Teacher {
 public:
  /// `block` counts from 0; -1: the last one. The size must be a multiple of the teacher's patch. Throws Error kUsage, and what
  /// reading a model throws.
  Teacher(const std::filesystem::path& model, int block, Size size);
  ~Teacher();
  Teacher(const Teacher&) = delete;
  Teacher& operator=(const Teacher&) = delete;

  /// (1 + patches, width): the tokens of CLS and patches after the block, each with mean 0 and variance 1.
  std::vector<float> tokens_of(const Image& image);

  int rows() const;  ///< 1 + patches
  int width() const;
  Size grid() const;
  std::string fingerprint() const;  ///< of its weights

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace revisit::train

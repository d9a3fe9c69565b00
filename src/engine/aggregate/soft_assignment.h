// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What NetVLAD and SuperVLAD share: unit features, spread over words by a softmax, and summed per word.
//   x = feature / |feature|;  a = softmax_k(W x + b);  S_k = sum a_k x;  A_k = sum a_k
#pragma once

#include <span>

#include "core/tensor/linear.h"
#include "engine/aggregate/aggregator.h"

namespace revisit::aggregate {

class SoftAssignment {
 public:
  /// scores is (words, width), bias (words) or null; neither is needed afterwards.
  SoftAssignment(const float* scores, const float* bias, int width, int words);

  struct Result {
    tensor::Matrix sums;     // (words, width) S
    std::span<double> mass;  // (words) A
  };
  /// Of every word, in the arena. A merged token counts as often as the patches it stands for.
  Result operator()(const tensor::Features& features, tensor::Arena& arena) const;

 private:
  tensor::Linear scores_;
};

/// Each row, then all of them together, to unit length.
void normalise_rows(tensor::Matrix rows);

}  // namespace revisit::aggregate

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What a spec means for a model: sizes rounded, words checked, work counted, before anything runs.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/tensor/linear.h"
#include "engine/model/config.h"
#include "engine/reduce/reducer.h"
#include "revisit/extractor.h"

namespace revisit {

struct Plan {
  DescriptorSpec spec;  // complete; its size in multiples of the patch
  int threads = 0;
  tensor::Precision precision = tensor::Precision::kF32;  // what the spec says
  std::vector<std::string> notices;                       // one sentence for each setting that was adjusted
};

/// Throws Error kUsage for anything out of range.
Plan make_plan(const model::Config& config, const DescriptorSpec& spec, int threads);

/// Patches of an input of this size, or cells of its feature map. Throws Error kUsage where there would be none.
int patches_of(const model::Config& config, Size size);

/// Throws Error kUsage unless both sides are positive multiples of the patch within the limit.
void check_tensor_size(Size size, int patch);

/// 10^9 multiply-adds of one forward: embedding, every block with the patches that live on in it, the reducer and the head.
double forward_gmac(const model::Config& config, const reduce::TokenReducer& reducer, Size size);

class Stopwatch {
 public:
  double ms() const { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace revisit

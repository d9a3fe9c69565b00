// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The rate oneDNN itself reaches on a model's matrix products, to hold the whole forward against.
#pragma once

#include <vector>

#include "engine/model/config.h"
#include "core/tensor/arena.h"
#include "core/tensor/onednn_product.h"

namespace revisit {

class GemmRate {
 public:
  /// rows: tokens of the forward it is compared with. The model must outlive it.
  GemmRate(const model::LoadedModel& model, int rows);

  /// GFLOP/s of one pass over the qkv, proj, fc1 and fc2 products of every block (so another weight matrix each call),
  /// plain inner_product with bias.
  double measure();

 private:
  std::vector<tensor::OnednnProduct> products_;
  int rows_;
  tensor::Arena inputs_;
  tensor::Arena scratch_;
  float* input_;
  float* output_;
};

}  // namespace revisit

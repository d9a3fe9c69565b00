// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The rate oneDNN itself reaches on a model's matrix products, to hold the whole forward against.
#pragma once

#include <vector>

#include "core/tensor/arena.h"
#include "core/tensor/onednn_product.h"
#include "engine/model/config.h"

namespace revisit {

class GemmRate {
 public:
  /// input: of the forward it is compared with. The model must outlive it.
  GemmRate(const model::LoadedModel& model, Size input);

  /// GFLOP/s of one pass over the large products of the backbone (of a ViT qkv, proj, fc1 and fc2 of every block, so another
  /// weight matrix each call), plain inner_product with bias.
  double measure();

 private:
  struct Timed {
    tensor::OnednnProduct product;
    int rows;
  };
  std::vector<Timed> products_;
  tensor::Arena inputs_;
  tensor::Arena scratch_;
  float* input_;
  float* output_;
};

}  // namespace revisit

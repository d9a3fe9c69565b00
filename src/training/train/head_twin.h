// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The WeiAD and SALAD heads on torch tensors: what src/engine/aggregate does, for a batch and with gradients.
#pragma once

#include <torch/torch.h>

#include "training/train/vit_twin.h"

namespace revisit::train {

struct HeadResult {
  torch::Tensor descriptor;  // (B, descriptor_dim), unit length
  torch::Tensor importance;  // (B, N) with gradient
  torch::Tensor ghost;       // (B, M) detached; undefined without a ghost token
  torch::Tensor tier_of;     // (B, M) int64; undefined for SALAD
  torch::Tensor alpha;       // (B, M) what clusters are ranked by, of each picture; detached, undefined for SALAD
};

/// cls (B, D) and patches (B, N, D) after the final norm. dropout 0: none. `mass` (B, N): how often each patch counts, 0 for not
/// at all, with gradients if it has some; undefined: once each. Throws Error kUsage when there are too few patches for the head.
HeadResult run_head(const model::HeadConfig& config, const Tensors& tensors, const torch::Tensor& cls,
                    const torch::Tensor& patches, double dropout, const torch::Tensor& mass = {});

}  // namespace revisit::train

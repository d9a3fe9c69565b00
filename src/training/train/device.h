// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Where tensors live.
#pragma once

#include <torch/torch.h>

#include "revisit/lab/train.h"

namespace revisit::train {

/// Throws Error kUsage for a device or precision this LibTorch cannot serve.
torch::Device device_of(const TrainConfig& config);

/// bf16 on the cpu: products run on its tiles or vectors of bfloat16.
bool uses_tiles(const TrainConfig& config);

}  // namespace revisit::train

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Torch tensors to and from named tensors in memory, exactly.
#pragma once

#include <torch/torch.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/base/fail.h"
#include "engine/model/weights.h"

namespace revisit::train {

/// A copy of the values, f32.
inline void add_tensor(model::Weights& weights, const std::string& name, const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.detach().to(torch::kCPU, torch::kFloat32).contiguous();
  const auto* values = flat.data_ptr<float>();
  weights.add_f32(name, tensor.sizes().vec(), std::vector<float>(values, values + flat.numel()));
}

/// Into an existing tensor on any device. Throws Error kBadModel when the shapes differ or it is missing.
inline void copy_tensor(const model::Weights& weights, const std::string& name, torch::Tensor& tensor) {
  const model::TensorView& view = weights.at(name);
  if (view.shape != tensor.sizes().vec()) {
    fail(ErrorCode::kBadModel, "tensor '{}' is {}, not of {} values as the model asks", name, view.shape_text(), tensor.numel());
  }
  const torch::NoGradGuard no_grad;
  auto values = model::to_f32(view);
  tensor.copy_(torch::from_blob(values.data(), tensor.sizes(), torch::kFloat32));
}

}  // namespace revisit::train

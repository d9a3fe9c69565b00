// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// For tests only: recorded arrays as torch tensors, and how far two tensors are apart.
#pragma once

#include <torch/torch.h>

#include <string>
#include <vector>

#include "golden.h"
#include "engine/model/weights.h"

namespace revisit::train::testing {

inline torch::Tensor copy_of(const std::vector<float>& values, const std::vector<std::int64_t>& shape) {
  return torch::tensor(values, torch::kFloat32).reshape(shape);
}

inline torch::Tensor floats(const revisit::testing::GoldenCase& golden, const std::string& name) {
  const NpyArray array = golden.tensor(name);
  return copy_of(array.to_f32(), array.shape);
}

inline torch::Tensor integers(const revisit::testing::GoldenCase& golden, const std::string& name) {
  const NpyArray array = golden.tensor(name);
  return torch::tensor(array.to_i64(), torch::kInt64).reshape(array.shape);
}

inline torch::Tensor tensor_of(const model::Weights& weights, const std::string& name) {
  const model::TensorView& view = weights.at(name);
  return copy_of(model::to_f32(view), view.shape);
}

inline std::vector<float> values_of(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.detach().to(torch::kFloat32).contiguous();
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

/// Largest absolute difference; infinite for different shapes (except dimensions of 1) and for NaN.
inline double distance(const torch::Tensor& a, const torch::Tensor& b) {
  if (a.squeeze().sizes() != b.squeeze().sizes()) return INFINITY;
  const double worst = (a.squeeze().to(torch::kFloat64) - b.squeeze().to(torch::kFloat64)).abs().max().item<double>();
  return std::isnan(worst) ? INFINITY : worst;
}

/// (n, 2) rows (anchor, other) in order, as the recorded cases list pairs.
inline torch::Tensor pairs_of(const torch::Tensor& mask) { return mask.nonzero(); }

/// Recorded pictures are bytes; the network was fed u8 / 64 - 2.
inline torch::Tensor pixels_of(const torch::Tensor& bytes) { return bytes / 64 - 2; }

}  // namespace revisit::train::testing

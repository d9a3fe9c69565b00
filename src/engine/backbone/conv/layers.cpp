// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Folding: gamma (W x - mean) / sqrt(var + eps) + beta is one convolution.
#include "engine/backbone/conv/layers.h"

#include <cmath>
#include <vector>

#include "core/base/fail.h"

namespace revisit::conv {
namespace {

constexpr double kNormEps = 1e-5;

const float* kernel_of(const model::Weights& weights, const std::string& name, int in, int out, int side) {
  return weights.f32_data(name + ".weight", std::int64_t{out} * in * side * side);
}

}  // namespace

tensor::Convolution load_convolution(const model::Weights& weights, const std::string& name, int in, int out,
                                     const tensor::Window& window, tensor::Linear::After after, tensor::Precision precision) {
  return {
      kernel_of(weights, name, in, out, window.side), weights.f32_data(name + ".bias", out), in, out, window, after, precision};
}

tensor::Convolution load_normalised(const model::Weights& weights, const std::string& name, const std::string& norm, int in,
                                    int out, const tensor::Window& window, tensor::Linear::After after,
                                    tensor::Precision precision) {
  const float* kernel = kernel_of(weights, name, in, out, window.side);
  const float* gamma = weights.f32_data(norm + ".weight", out);
  const float* beta = weights.f32_data(norm + ".bias", out);
  const float* mean = weights.f32_data(norm + ".running_mean", out);
  const float* variance = weights.f32_data(norm + ".running_var", out);
  const auto inputs = static_cast<std::size_t>(in) * static_cast<std::size_t>(window.side * window.side);
  std::vector<float> folded(static_cast<std::size_t>(out) * inputs), bias(static_cast<std::size_t>(out));
  for (std::size_t o = 0; o < bias.size(); ++o) {
    if (variance[o] < 0) fail(ErrorCode::kBadModel, "tensor '{}.running_var' has a negative variance, {}", norm, variance[o]);
    const double scale = gamma[o] / std::sqrt(variance[o] + kNormEps);
    for (std::size_t i = 0; i < inputs; ++i) folded[o * inputs + i] = static_cast<float>(kernel[o * inputs + i] * scale);
    bias[o] = static_cast<float>(beta[o] - mean[o] * scale);
  }
  return {folded.data(), bias.data(), in, out, window, after, precision};
}

}  // namespace revisit::conv

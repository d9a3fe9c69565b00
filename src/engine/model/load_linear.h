// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The one way a layer gets its weights. In a header, since this room is built without kernels too.
#pragma once

#include <cstdint>
#include <string>

#include "core/tensor/linear.h"
#include "engine/model/weights.h"

namespace revisit::model {

/// The numbers of a layer `name`: `<name>.weight` (out, in), whose trailing sides of a 1x1 convolution do not matter,
/// and `<name>.bias` (out).
struct LayerWeights {
  const float* weight;
  const float* bias;
};

/// Throws Error kBadModel, naming the tensor, when one is absent or has another number of values.
inline LayerWeights layer_weights(const Weights& weights, const std::string& name, int in, int out) {
  return {weights.f32_data(name + ".weight", static_cast<std::int64_t>(in) * out), weights.f32_data(name + ".bias", out)};
}

/// What a layer does beyond x W^T + b.
struct LinearForm {
  tensor::Linear::After after = tensor::Linear::After::kNothing;
  std::string out_scale{};  ///< name of a tensor (out) that multiplies the output channels (LayerScale); empty: none
  tensor::Precision precision = tensor::Precision::kF32;
};

/// `weights` must outlive the layer. Throws what layer_weights() throws.
inline tensor::Linear load_linear(const Weights& weights, const std::string& name, int in, int out, const LinearForm& form = {}) {
  const LayerWeights layer = layer_weights(weights, name, in, out);
  const float* out_scale = form.out_scale.empty() ? nullptr : weights.f32_data(form.out_scale, out);
  return {layer.weight, layer.bias, in, out, form.after, out_scale, form.precision};
}

}  // namespace revisit::model

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The one way a layer gets its weights. In a header, since this room is built without kernels too.
#pragma once

#include <cstdint>
#include <string>

#include "core/tensor/linear.h"
#include "engine/model/backbone_family.h"
#include "engine/model/weights.h"

namespace revisit::model {

/// `<name>.weight` (out, in), whose trailing sides of a 1x1 convolution do not matter, or as bytes with `<name>.weight.scale`
/// (out). Throws Error kBadModel, naming the tensor, when one is absent or has another number of values.
inline tensor::LinearWeight layer_weight(const Weights& weights, const std::string& name, int in, int out) {
  const std::string weight = name + ".weight";
  const std::int64_t count = static_cast<std::int64_t>(in) * out;
  if (weights.at(weight).dtype != DType::kI8) return weights.f32_data(weight, count);
  return tensor::ByteWeights{weights.i8_data(weight, count), weights.f32_data(weight + kScale, out)};
}

/// What a layer does beyond x W^T + b.
struct LinearForm {
  tensor::Linear::After after = tensor::Linear::After::kNothing;
  std::string out_scale{};  ///< name of a tensor (out) that multiplies the output channels (LayerScale); empty: none
  tensor::Precision precision = tensor::Precision::kF32;
};

/// The weight is layer_weight()'s, the bias `<name>.bias` (out). Throws what layer_weight() throws.
inline tensor::Linear load_linear(const Weights& weights, const std::string& name, int in, int out, const LinearForm& form = {}) {
  const float* out_scale = form.out_scale.empty() ? nullptr : weights.f32_data(form.out_scale, out);
  return {layer_weight(weights, name, in, out),
          weights.f32_data(name + ".bias", out),
          in,
          out,
          form.after,
          out_scale,
          form.precision};
}

}  // namespace revisit::model

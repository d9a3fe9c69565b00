// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One pass over a model's own products without anything between them.
#include "engine/extract/gemm_rate.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/extract/plan.h"

namespace revisit {

GemmRate::GemmRate(const model::LoadedModel& model, int rows) : rows_(rows) {
  const model::VitConfig& c = model.config.vit();
  const auto add = [&](const std::string& name, int in, int out) {
    products_.emplace_back(model.weights.f32_data(name + ".weight", static_cast<std::int64_t>(in) * out),
                           model.weights.f32_data(name + ".bias", out), in, out, tensor::Linear::After::kNothing, nullptr);
  };
  for (int i = 0; i < c.depth; ++i) {
    const std::string block = "backbone.model.blocks." + std::to_string(i) + ".";
    add(block + "attn.qkv", c.width, 3 * c.width);
    add(block + "attn.proj", c.width, c.width);
    add(block + (c.swiglu ? "mlp.w12" : "mlp.fc1"), c.width, c.swiglu ? 2 * c.ffn_hidden : c.ffn_hidden);
    add(block + (c.swiglu ? "mlp.w3" : "mlp.fc2"), c.ffn_hidden, c.width);
  }
  int widest_in = 0;
  int widest_out = 0;
  for (const auto& product : products_) {
    widest_in = std::max(widest_in, product.in());
    widest_out = std::max(widest_out, product.out());
  }
  const auto count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(widest_in);
  input_ = inputs_.floats(count);
  for (std::size_t i = 0; i < count; ++i) input_[i] = std::sin(static_cast<float>(i));
  output_ = inputs_.floats(static_cast<std::size_t>(rows) * static_cast<std::size_t>(widest_out));
}

double GemmRate::measure() {
  double flops = 0;
  const Stopwatch watch;
  for (const auto& product : products_) {
    product({input_, rows_, product.in(), product.in()}, {output_, rows_, product.out(), product.out()}, scratch_);
    flops += 2.0 * rows_ * product.in() * product.out();
  }
  return flops / watch.ms() * 1e-6;
}

}  // namespace revisit

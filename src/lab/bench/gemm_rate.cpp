// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One pass over a model's own products without anything between them.
#include "lab/bench/gemm_rate.h"

#include <algorithm>
#include <cmath>

#include "engine/extract/plan.h"
#include "engine/model/load_linear.h"

namespace revisit {

GemmRate::GemmRate(const model::LoadedModel& model, Size input) {
  std::size_t most_in = 0, most_out = 0;
  for (const auto& [layer, rows, in, out] : model.config.backbone.products(input)) {
    const auto [weight, bias] = model::layer_weights(model.weights, layer, in, out);
    products_.push_back({{weight, bias, in, out, tensor::Linear::After::kNothing, nullptr}, rows});
    most_in = std::max(most_in, static_cast<std::size_t>(rows) * static_cast<std::size_t>(in));
    most_out = std::max(most_out, static_cast<std::size_t>(rows) * static_cast<std::size_t>(out));
  }
  input_ = inputs_.floats(most_in);
  for (std::size_t i = 0; i < most_in; ++i) input_[i] = std::sin(static_cast<float>(i));
  output_ = inputs_.floats(most_out);
}

double GemmRate::measure() {
  double flops = 0;
  const Stopwatch watch;
  for (const auto& [product, rows] : products_) {
    product({input_, rows, product.in(), product.in()}, {output_, rows, product.out(), product.out()}, scratch_);
    flops += 2.0 * rows * product.in() * product.out();
  }
  return flops / watch.ms() * 1e-6;
}

}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// m = b1 m + (1-b1) g,  v = b2 v + (1-b2) g^2,  p = p (1 - lr wd) - lr / (1-b1^t) * m / (sqrt(v) / sqrt(1-b2^t) + eps).
// Orthogonal: m = b m + g,  p = p (1 - lr wd) - lr * s * U V^T of g + b m,  s so that a step is as long as one of AdamW's.
#include "training/train/optimiser.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/base/fail.h"
#include "engine/model/config.h"
#include "training/train/schedule.h"
#include "training/train/tensors.h"
#include "training/train/tile_ops.h"

namespace revisit::train {
namespace {

constexpr double kBeta1 = 0.9, kBeta2 = 0.999;
constexpr double kOrthogonalBeta = 0.95;

/// About U V^T of x = U S V^T, (parts, rows, columns): five rounds of a polynomial that pulls all singular values towards 1.
torch::Tensor orthogonalised(torch::Tensor x) {
  const bool tall = x.size(1) > x.size(2);
  if (tall) x = x.transpose(1, 2);
  x = x / (x.norm(2, {1, 2}, true) + 1e-7);
  for (int round = 0; round < 5; ++round) {
    const torch::Tensor square = batched_product(x, x.transpose(1, 2));
    x = 3.4445 * x + batched_product(-4.7750 * square + 2.0315 * batched_product(square, square), x);
  }
  return tall ? x.transpose(1, 2) : x;
}

/// Queries, keys and values are three matrices in one, the gate and its values two.
std::int64_t parts_of(const std::string& name) {
  if (name.ends_with(".qkv.weight")) return 3;
  return name.ends_with(".w12.weight") ? 2 : 1;
}

}  // namespace

ParameterRule rule_of(const std::string& name, const TrainOptimiser& settings) {
  const double head_lr = settings.head_lr > 0 ? settings.head_lr : settings.lr;
  if (name == "aggregator.theta0" || name == "aggregator.thetaD") return {head_lr * settings.tier_lr_factor, 0, 1e-8};
  if (name.starts_with("aggregator.")) return {head_lr, settings.weight_decay, 1e-8};
  if (name.starts_with("weitop.")) {
    return {settings.weitop_lr > 0 ? settings.weitop_lr : head_lr, settings.weight_decay, settings.weitop_eps};
  }
  if (name.starts_with(model::kPredictorRoot)) {
    return {settings.predictor_lr > 0 ? settings.predictor_lr : head_lr, settings.weight_decay, 1e-8};
  }
  const bool of_a_block =
      name.find(".blocks.") != std::string::npos && name.ends_with(".weight") && name.find(".norm") == std::string::npos;
  return {settings.lr, settings.weight_decay, 1e-8, settings.orthogonal && of_a_block};
}

Optimiser::Optimiser(const TrainOptimiser& settings, const std::map<std::string, torch::Tensor>& tensors) : settings_(settings) {
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.requires_grad()) continue;
    parameters_.push_back({name, tensor, torch::zeros_like(tensor, torch::MemoryFormat::Contiguous),
                           torch::zeros_like(tensor, torch::MemoryFormat::Contiguous), 0, rule_of(name, settings)});
  }
}

void Optimiser::forget_gradients() {
  for (auto& parameter : parameters_) parameter.value.mutable_grad() = torch::Tensor();
}

double Optimiser::gradient_norm() const {
  std::vector<torch::Tensor> norms;
  for (const auto& parameter : parameters_) {
    if (parameter.value.grad().defined()) norms.push_back(parameter.value.grad().norm().to(torch::kFloat64));
  }
  return norms.empty() ? 0 : torch::stack(norms).norm().item<double>();
}

void Optimiser::scale_gradients(double factor) {
  for (auto& parameter : parameters_) {
    if (parameter.value.grad().defined()) parameter.value.mutable_grad().mul_(factor);
  }
}

void Optimiser::step(std::int64_t step) {
  const torch::NoGradGuard no_grad;
  const double factor = lr_factor(settings_, step);
  for (auto& [name, value, m, v, moved, rule] : parameters_) {
    const torch::Tensor& gradient = value.grad();
    if (!gradient.defined()) continue;
    ++moved;
    const double lr = rule.lr * factor;
    const double unbias1 = 1 - std::pow(kBeta1, static_cast<double>(moved));
    const double unbias2 = 1 - std::pow(kBeta2, static_cast<double>(moved));
    value.mul_(1 - lr * rule.weight_decay);
    if (rule.orthogonal) {
      m.mul_(kOrthogonalBeta).add_(gradient);
      const torch::Tensor ahead = (gradient + kOrthogonalBeta * m).view({parts_of(name), -1, value.size(1)});
      // An orthogonal matrix has values of 1 / sqrt(longest); so long a step is what AdamW begins with.
      const double longest = static_cast<double>(std::max(ahead.size(1), ahead.size(2)));
      value.add_(orthogonalised(ahead).reshape(value.sizes()), -lr * std::sqrt(longest));
      continue;
    }
    m.mul_(kBeta1).add_(gradient, 1 - kBeta1);
    v.mul_(kBeta2).addcmul_(gradient, gradient, 1 - kBeta2);
    value.addcdiv_(m, v.sqrt().div_(std::sqrt(unbias2)).add_(rule.eps), -lr / unbias1);
  }
}

model::Weights Optimiser::state() const {
  model::Weights out;
  for (const auto& parameter : parameters_) {
    add_tensor(out, "m/" + parameter.name, parameter.m);
    add_tensor(out, "v/" + parameter.name, parameter.v);
    auto moved = std::make_shared<std::int64_t>(parameter.moved);
    const auto* bytes = reinterpret_cast<const std::byte*>(moved.get());
    out.add("t/" + parameter.name, {model::DType::kI64, {}, bytes}, std::move(moved));
  }
  return out;
}

void Optimiser::restore(const model::Weights& state) {
  for (auto& parameter : parameters_) {
    copy_tensor(state, "m/" + parameter.name, parameter.m);
    copy_tensor(state, "v/" + parameter.name, parameter.v);
    const auto& moved = state.at("t/" + parameter.name);
    if (moved.dtype != model::DType::kI64 || moved.count() != 1) {
      fail(ErrorCode::kBadModel, "tensor 't/{}' is {} {}, not one I64", parameter.name, model::name_of(moved.dtype),
           moved.shape_text());
    }
    std::memcpy(&parameter.moved, moved.data, sizeof(parameter.moved));
  }
}

}  // namespace revisit::train

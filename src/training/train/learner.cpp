// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The step, and what depends on the device: where tensors live, and reduced precision on cuda.
#include "training/train/learner.h"

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <omp.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/fail.h"
#include "core/tensor/parallel.h"
#include "core/tensor/tiles.h"
#include "training/train/device.h"
#include "training/train/losses.h"
#include "training/train/network.h"
#include "training/train/optimiser.h"
#include "training/train/tile_ops.h"
#include "training/train/trained_pruner.h"

namespace revisit::train {
torch::Device device_of(const TrainConfig& config) {
  if (config.device == "cpu") {
    if (config.precision != "f32" && config.precision != "bf16") {
      fail_with_hint(ErrorCode::kUsage, "precision = \"f32\", or device = \"cuda\"",
                     "`precision` {} needs `device` cuda, not cpu", config.precision);
    }
    if (config.precision == "bf16" && !tensor::bfloat_products_usable()) {
      fail_with_hint(
          ErrorCode::kUsage, "precision = \"f32\"; a run started with bf16 can only continue where there is bfloat16",
          "`precision` bf16 on the cpu needs AVX-512 BF16 or AMX, which this processor, system or build does not offer");
    }
    return torch::kCPU;
  }
  if (config.device != "cuda") fail(ErrorCode::kUsage, "`device` is '{}', but must be cpu or cuda", config.device);
  if (!at::hasCUDA()) {
    fail_with_hint(ErrorCode::kUsage, "use `device` cpu, or build revisit with a LibTorch for CUDA",
                   "`device` is cuda, but this LibTorch {} was built without CUDA", TORCH_VERSION);
  }
  if (!torch::cuda::is_available()) {
    fail_with_hint(ErrorCode::kUsage, "use `device` cpu", "`device` is cuda, but no CUDA device can be used here");
  }
  return torch::kCUDA;
}

bool uses_tiles(const TrainConfig& config) { return config.device == "cpu" && config.precision == "bf16"; }

namespace {

NetworkOptions network_options(const TrainConfig& config) {
  NetworkOptions options;
  options.trained_blocks = config.model.trained_blocks;
  options.weitop_only = config.model.weitop_only;
  options.dropout = options.weitop_only ? 0 : config.model.dropout;  // it learns what the model does in use
  options.teacher_gradient = config.loss.teacher_gradient;
  options.tie_deltas = config.model.tie_deltas;
  options.device = device_of(config);
  options.tiles = uses_tiles(config);
  options.prune = trained_pruner(config.model);
  return options;
}

/// Matrix products in 16 bits during its lifetime; torch keeps what needs f32 in f32.
class Autocast {
 public:
  Autocast(const std::string& device, const std::string& precision) : on_(device == "cuda" && precision != "f32") {
    if (!on_) return;
    at::autocast::set_autocast_gpu_dtype(precision == "bf16" ? at::kBFloat16 : at::kHalf);
    at::autocast::set_enabled(true);
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    if (!on_) return;
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_enabled(false);
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool on_;
};

std::optional<double> mean_of(const torch::Tensor& tensor) {
  if (!tensor.defined()) return std::nullopt;
  return tensor.to(torch::kFloat64).mean().item<double>();
}

/// w_0 = exp(theta0), w_t = max(w_0 - sum of softplus(thetaD), floor). Tied steps are one number.
std::vector<double> tier_weights(const Network& network) {
  if (network.config().head.kind != model::kWeiad) return {};
  const auto& head = network.config().head.transport();
  const torch::NoGradGuard no_grad;
  const auto steps = static_cast<std::int64_t>(head.tiers.size()) - 1;
  std::vector<double> out{std::exp(network.tensors().at("aggregator.theta0").item<double>())};
  if (steps == 0) return out;
  const auto falls = torch::softplus(network.tensors().at("aggregator.thetaD").to(torch::kCPU, torch::kFloat64)).expand({steps});
  double weight = out.front();
  for (std::int64_t t = 0; t < steps; ++t) {
    weight -= falls[t].item<double>();
    out.push_back(std::max(weight, head.tier_floor));
  }
  return out;
}

/// Tokens of a pruned picture, and beside each what the whole picture's tokens (B, T, D) have for the patches it stands for.
std::pair<torch::Tensor, torch::Tensor> same_patches(const Forward& out, const torch::Tensor& whole, std::int64_t first) {
  const Pruned& pruned = out.pruned;
  if (pruned.shares.defined()) {
    const auto means = torch::bmm(pruned.shares.to(whole.device(), whole.scalar_type()), whole.slice(1, first));
    return {out.tokens, torch::cat({whole.slice(1, 0, first), means}, 1)};
  }
  if (out.kept.defined()) return {out.tokens, keep_patches(whole, first, out.kept)};
  if (pruned.decisions.empty()) return {out.tokens, whole};
  const auto stays = pruned.decisions.back().detach() > 0.5;  // masked, not dropped
  const auto rows = torch::cat({torch::ones({whole.size(0), first}, stays.options()), stays}, 1);
  return {out.tokens.index({rows}), whole.index({rows})};
}

/// One sentence instead of torch's stack trace.
[[noreturn]] void explain(const c10::Error& error, const feed::Batch& batch) {
  const std::string_view text = error.what_without_backtrace();
  const bool memory =
      text.find("can't allocate memory") != std::string_view::npos || text.find("out of memory") != std::string_view::npos;
  if (memory) {
    fail_with_hint(ErrorCode::kNoMemory, "use fewer data.places_per_batch, a smaller data.size or fewer model.trained_blocks",
                   "not enough memory for a step of {} pictures of {}x{}", batch.images, batch.size.height, batch.size.width);
  }
  fail(ErrorCode::kInternal, "LibTorch failed in step {}: {}", batch.step, text.substr(0, text.find('\n')));
}

}  // namespace

struct Learner::Impl {
  Impl(const TrainConfig& given, const model::LoadedModel& start, FrozenStore* kept, const model::LoadedModel* beginning)
      : config(given),
        options(network_options(given)),
        network(start, options),
        optimiser(given.optimiser, network.tensors()),
        store(kept) {
    if ((beginning != nullptr) != (given.loss.context > 0)) {
      fail(ErrorCode::kInternal, "[loss] context is {}, but {} was given to teach it", given.loss.context,
           beginning == nullptr ? "no model" : "a model");
    }
    if (beginning == nullptr) return;
    NetworkOptions whole = options;
    whole.prune.reset();
    teacher.emplace(*beginning, whole);
  }

  StepResult learn(const feed::Batch& batch, const Frozen& frozen);
  FrozenTokens frozen_of(const feed::Batch& batch, const torch::Tensor& pixels, double rho, const Frozen& frozen);
  torch::Tensor kept_values(const feed::Batch& batch, const torch::Tensor& pixels, const Frozen& frozen);
  torch::Tensor context_of(const torch::Tensor& pixels, const Forward& out);
  void backward(const torch::Tensor& loss, std::int64_t step, StepResult& result);

  TrainConfig config;
  NetworkOptions options;
  Network network;
  std::optional<Network> teacher;  // the model the run started with; never trained
  Optimiser optimiser;
  LossScale loss_scale;
  FrozenStore* store;
};

/// (B, values) f16: from the store, or computed place by place and put there. Both ways the values are the same to the bit.
torch::Tensor Learner::Impl::kept_values(const feed::Batch& batch, const torch::Tensor& pixels, const Frozen& frozen) {
  const torch::NoGradGuard no_grad;
  const std::int64_t together = config.data.images_per_place;
  const auto values = static_cast<std::int64_t>(store->values());
  torch::Tensor out = torch::empty({batch.images, values}, torch::kHalf);
  auto* rows = reinterpret_cast<std::uint16_t*>(out.data_ptr<at::Half>());
  for (std::int64_t first = 0; first < batch.images; first += together) {
    std::uint16_t* row = rows + first * values;
    if (frozen) frozen(first, batch.images);
    if (batch.tokens[static_cast<std::size_t>(first)].empty()) {
      const FrozenTokens made = network.frozen(pixels.slice(0, first, first + together));
      torch::Tensor flat = made.tokens.flatten(1);
      if (store->has_weitop_input()) flat = torch::cat({flat, made.weitop_input.flatten(1)}, 1);
      flat = flat.to(torch::kCPU, torch::kHalf).contiguous();
      std::memcpy(row, flat.data_ptr<at::Half>(), static_cast<std::size_t>(together * values) * sizeof(std::uint16_t));
      for (std::int64_t k = 0; k < together; ++k) {
        store->store(batch.pictures[static_cast<std::size_t>(first + k)], {row + k * values, row + (k + 1) * values});
      }
      continue;
    }
    for (std::int64_t k = 0; k < together; ++k) {
      std::ranges::copy(batch.tokens[static_cast<std::size_t>(first + k)], row + k * values);
    }
  }
  return out;
}

FrozenTokens Learner::Impl::frozen_of(const feed::Batch& batch, const torch::Tensor& pixels, double rho, const Frozen& frozen) {
  if (store == nullptr || batch.pictures.empty()) return network.frozen(pixels, rho);
  const auto& vit = network.config().vit();
  const auto values = kept_values(batch, pixels, frozen).to(options.device, torch::kFloat32);
  const std::int64_t patches = std::int64_t{batch.size.height / vit.patch} * (batch.size.width / vit.patch);
  const std::int64_t tokens = 1 + vit.registers + patches;
  FrozenTokens out;
  out.columns = batch.size.width / vit.patch;
  out.tokens = values.slice(1, 0, tokens * vit.width).reshape({batch.images, tokens, vit.width});
  if (store->has_weitop_input()) {
    out.weitop_input = values.slice(1, tokens * vit.width).reshape({batch.images, patches, vit.width});
  }
  return out;
}

/// The original model teaches the current one to see a pruned picture as it saw the whole one.
torch::Tensor Learner::Impl::context_of(const torch::Tensor& pixels, const Forward& out) {
  Forward whole;
  {
    const torch::NoGradGuard no_grad;
    const Autocast autocast(config.device, config.precision);
    whole = teacher->forward(teacher->frozen(pixels), false);
  }
  const auto [seen, wanted] = same_patches(out, whole.tokens, 1 + teacher->config().vit().registers);
  return context_loss(seen.to(torch::kFloat32), wanted.to(torch::kFloat32), out.descriptor.to(torch::kFloat32),
                      whole.descriptor.to(torch::kFloat32));
}

StepResult Learner::Impl::learn(const feed::Batch& batch, const Frozen& frozen) {
  torch::manual_seed(dropout_seed(config.seed, batch.step));
  StepResult result;
  const double rho = rho_of_step(config.loss, config.seed, batch.step);
  result.rho = options.prune ? *options.prune->rho : rho;
  result.lr = config.optimiser.lr * lr_factor(config.optimiser, batch.step);
  // The batch outlives the step, so its memory may serve as the tensor on the CPU.
  const auto pixels = torch::from_blob(const_cast<float*>(batch.pixels.data()),
                                       {batch.images, 3, batch.size.height, batch.size.width}, torch::kFloat32)
                          .to(options.device);
  const auto labels =
      torch::from_blob(const_cast<std::int64_t*>(batch.labels.data()), {batch.images}, torch::kInt64).to(options.device);
  optimiser.forget_gradients();

  Forward out;
  {
    const Autocast autocast(config.device, config.precision);
    out = network.forward(frozen_of(batch, pixels, rho, frozen), true, rho);
  }
  const PlaceLoss place = multi_similarity(out.descriptor.to(torch::kFloat32), labels, config.loss);
  torch::Tensor loss = config.loss.place * place.value;
  // A pruned batch has no importance for the tokens that were dropped.
  if (rho >= 1 && config.loss.gamma > 0 && out.scores.defined() && out.importance.defined()) {
    const auto kl = distillation(out.importance.to(torch::kFloat32), out.scores.to(torch::kFloat32), config.loss);
    result.distillation = kl.item<double>();
    loss = loss + config.loss.gamma * kl;
  }
  if (!out.pruned.decisions.empty()) {
    const auto off = stage_loss(out.pruned.decisions, out.pruned.wanted);
    result.stages = off.item<double>();
    result.kept = mean_of(out.pruned.decisions.back().detach());
    loss = loss + config.loss.stages * off;
  }
  if (teacher) {
    const auto off = context_of(pixels, out);
    result.context = off.item<double>();
    loss = loss + config.loss.context * off;
  }
  result.loss = loss.item<double>();
  result.place_loss = place.value.item<double>();
  result.b_acc = place.b_acc;
  result.ghost = mean_of(out.ghost);
  if (out.tier_of.defined()) result.tier_agreement = tier_agreement(out.tier_of, labels);
  result.finite = std::isfinite(result.loss);
  if (result.finite) backward(loss, batch.step, result);
  if (result.finite && result.rho >= 1) network.follow_ranking(out);
  optimiser.forget_gradients();
  result.tier_weights = tier_weights(network);
  return result;
}

void Learner::Impl::backward(const torch::Tensor& loss, std::int64_t step, StepResult& result) {
  const bool scaled = config.precision == "fp16";
  if (loss.requires_grad()) (scaled ? loss * loss_scale.value : loss).backward();
  if (scaled) optimiser.scale_gradients(1 / loss_scale.value);
  result.gradient_norm = optimiser.gradient_norm();
  const bool finite = std::isfinite(result.gradient_norm);
  if (scaled) {
    result.overflowed = !finite;
    result.finite = finite || loss_scale.value > LossScale::kLeast;  // otherwise no smaller scale can help
    loss_scale.update(result.overflowed);
    if (result.overflowed) result.gradient_norm = 0;
  } else {
    result.finite = finite;
  }
  if (!finite) return;
  if (config.optimiser.clip_norm > 0 && result.gradient_norm > config.optimiser.clip_norm) {
    optimiser.scale_gradients(config.optimiser.clip_norm / result.gradient_norm);
  }
  const TileProducts products(options.tiles);
  optimiser.step(step);
}

Learner::Learner(const TrainConfig& config, const model::LoadedModel& start, FrozenStore* store,
                 const model::LoadedModel* beginning)
    : impl_(std::make_unique<Impl>(config, start, store, beginning)) {}
Learner::~Learner() = default;

StepResult Learner::learn(const feed::Batch& batch, const Frozen& frozen) {
  try {
    return impl_->learn(batch, frozen);
  } catch (const c10::Error& error) {
    explain(error, batch);
  }
}

model::LoadedModel Learner::model() const { return impl_->network.to_model(); }

LearnerState Learner::state() const { return {model(), impl_->optimiser.state(), impl_->loss_scale}; }

void Learner::restore(const LearnerState& state) {
  impl_->optimiser.restore(state.optimiser);
  impl_->loss_scale = state.loss_scale;
}

namespace {

/// Our loops run on LibTorch's threads: two teams would take each other's cores.
void on_the_team(int helpers, tensor::LoopTask task, void* context) {
  const unsigned mode = tensor::float_mode();
#pragma omp parallel  // all of them, even if some have nothing to do: a smaller team would end the others
  {
    tensor::set_float_mode(mode);
    if (omp_get_thread_num() <= helpers) task(context, omp_get_thread_num());
  }
}

}  // namespace

int use_threads(int threads) {
  tensor::use_runner(on_the_team);
  const int count = tensor::set_threads(threads);
  at::set_num_threads(count);
  return count;
}

}  // namespace revisit::train

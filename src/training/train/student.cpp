// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Student tokens through a linear projector for each teacher against its own: 1 - cosine + smooth L1, for CLS and every patch.
#include "training/train/student.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/fail.h"
#include "core/base/random.h"
#include "training/train/device.h"
#include "training/train/network.h"
#include "training/train/optimiser.h"
#include "training/train/tile_ops.h"
#include "training/train/vit_twin.h"

namespace revisit::train {
namespace {

constexpr const char* kWeight = "projector.weight";
constexpr const char* kBias = "projector.bias";
constexpr int kWholeAtLast = 5;      // the last fifth of the steps
constexpr double kEndFactor = 0.02;  // of the learning rate: the last steps only settle

TrainOptimiser schedule_of(const TrainDistill& settings) {
  TrainOptimiser out;
  out.lr = settings.lr;
  out.orthogonal = settings.orthogonal;
  out.weight_decay = settings.weight_decay;
  out.warmup_steps = settings.warmup_steps;
  out.decay_steps = settings.steps;
  out.end_factor = kEndFactor;
  return out;
}

/// Rows of the tokens a step looks at, CLS and registers always among them. Undefined: all. In the end the student sees
/// whole pictures, as in use.
torch::Tensor seen_rows(const TrainConfig& config, std::int64_t step, std::int64_t prefix, std::int64_t rows) {
  const TrainDistill& settings = config.distill;
  if (settings.seen_share >= 1 || step >= settings.steps - settings.steps / kWholeAtLast) return {};
  std::vector<std::int64_t> order;
  for (auto row = prefix; row < rows; ++row) order.push_back(row);
  SplitMix random(scatter(scatter(config.seed ^ 0x7365656eULL) ^ static_cast<std::uint64_t>(step)));
  const auto count = std::max<std::int64_t>(1, std::llround(settings.seen_share * static_cast<double>(order.size())));
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    std::swap(order[i], order[i + random.below(order.size() - i)]);
  order.resize(static_cast<std::size_t>(count));
  for (std::int64_t row = 0; row < prefix; ++row) order.push_back(row);
  std::ranges::sort(order);
  return torch::tensor(order, torch::kInt64);
}

NetworkOptions all_blocks(const TrainConfig& config, const model::LoadedModel& start) {
  NetworkOptions out;
  out.trained_blocks = start.config.backbone.blocks();
  out.dropout = 0;
  out.device = device_of(config);
  out.tiles = uses_tiles(config);
  return out;
}

}  // namespace

std::vector<std::uint16_t> to_half(const std::vector<float>& values) {
  const auto half =
      torch::from_blob(const_cast<float*>(values.data()), {static_cast<std::int64_t>(values.size())}, torch::kFloat32)
          .to(torch::kHalf);
  const auto* data = reinterpret_cast<const std::uint16_t*>(half.data_ptr<at::Half>());
  return {data, data + values.size()};
}

struct Student::Impl {
  Impl(const TrainConfig& given, const model::LoadedModel& start, int teacher_rows, const std::vector<int>& teacher_widths)
      : config(given),
        rows(teacher_rows),
        widths(teacher_widths.begin(), teacher_widths.end()),
        width(std::accumulate(widths.begin(), widths.end(), std::int64_t{0})),
        network(start, all_blocks(given, start)),
        tensors(network.tensors()) {
    torch::manual_seed(given.seed);
    const double bound = 1.0 / std::sqrt(static_cast<double>(start.config.backbone.width()));
    const auto options = torch::TensorOptions().device(network.options().device);
    tensors[kWeight] = torch::empty({width, start.config.backbone.width()}, options).uniform_(-bound, bound).requires_grad_(true);
    tensors[kBias] = torch::zeros({width}, options).requires_grad_(true);
    optimiser = std::make_unique<Optimiser>(schedule_of(given.distill), tensors);
  }

  struct Losses {
    torch::Tensor cosine, distance;
  };
  Losses compare(const StudentBatch& batch, torch::Tensor seen = {}) const {
    const auto device = network.options().device;
    const auto pixels = torch::from_blob(const_cast<float*>(batch.pixels.data()),
                                         {batch.images, 3, batch.size.height, batch.size.width}, torch::kFloat32)
                            .to(device);
    auto targets = torch::from_blob(const_cast<std::uint16_t*>(batch.targets.data()), {batch.images, rows, width}, torch::kHalf);
    if (seen.defined()) {
      targets = targets.index_select(1, seen);
      seen = seen.to(device);
    }
    targets = targets.to(device, torch::kFloat32);
    const auto guesses = linear(tensors, "projector", network.tokens(pixels, -1, seen));
    const auto guess_of = guesses.split_with_sizes(widths, -1), target_of = targets.split_with_sizes(widths, -1);
    std::vector<torch::Tensor> cosines, distances;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      cosines.push_back(torch::cosine_similarity(guess_of[i], target_of[i], -1).mean());
      distances.push_back(torch::smooth_l1_loss(guess_of[i], target_of[i]));
    }
    return {torch::stack(cosines).mean(), torch::stack(distances).mean()};
  }

  TrainConfig config;
  int rows;
  std::vector<std::int64_t> widths;
  std::int64_t width;  // of all teachers
  Network network;
  std::map<std::string, torch::Tensor> tensors;  // the network's, and the projector
  std::unique_ptr<Optimiser> optimiser;
};

Student::Student(const TrainConfig& config, const model::LoadedModel& start, int teacher_rows,
                 const std::vector<int>& teacher_widths)
    : impl_(std::make_unique<Impl>(config, start, teacher_rows, teacher_widths)) {}
Student::~Student() = default;

StudentResult Student::learn(const StudentBatch& batch) {
  Impl& s = *impl_;
  const TileProducts products(s.network.options().tiles);
  StudentResult result;
  result.lr = s.config.distill.lr * lr_factor(schedule_of(s.config.distill), batch.step);
  s.optimiser->forget_gradients();
  const auto losses = s.compare(batch, seen_rows(s.config, batch.step, 1, s.rows));
  const auto loss = 1 - losses.cosine + losses.distance;
  result.loss = loss.item<double>();
  result.cosine = losses.cosine.item<double>();
  result.distance = losses.distance.item<double>();
  result.finite = std::isfinite(result.loss);
  if (!result.finite) return result;
  loss.backward();
  const double norm = s.optimiser->gradient_norm();
  result.finite = std::isfinite(norm);
  if (!result.finite) return result;
  constexpr double kMostGradient = 1;  // a rare steep batch must not undo the warm-up
  if (norm > kMostGradient) s.optimiser->scale_gradients(kMostGradient / norm);
  s.optimiser->step(batch.step);
  return result;
}

double Student::cosine(const StudentBatch& batch) const {
  const torch::NoGradGuard no_grad;
  return impl_->compare(batch).cosine.item<double>();
}

model::LoadedModel Student::model() const { return impl_->network.to_model(); }

LearnerState Student::state() const {
  LearnerState out;
  out.model = model();
  out.optimiser = impl_->optimiser->state();
  for (const auto* name : {kWeight, kBias}) {
    const auto tensor = impl_->tensors.at(name).detach().to(torch::kCPU).contiguous();
    const float* data = tensor.data_ptr<float>();
    out.optimiser.add_f32(std::string("p/") + name, tensor.sizes().vec(), std::vector<float>(data, data + tensor.numel()));
  }
  return out;
}

void Student::restore(const LearnerState& state) {
  const torch::NoGradGuard no_grad;
  impl_->optimiser->restore(state.optimiser);
  for (const auto* name : {kWeight, kBias}) {
    torch::Tensor& tensor = impl_->tensors.at(name);
    const float* data = state.optimiser.f32_data(std::string("p/") + name, tensor.numel());
    tensor.copy_(torch::from_blob(const_cast<float*>(data), tensor.sizes(), torch::kFloat32));
  }
}

}  // namespace revisit::train

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// DynamicViT at test time: before a few blocks a trained predictor scores the patches, and floor(N0 keep^s) of them pass stage s.
// Symbols: x patches (n, D); u = GELU(W x^ + b) of x^ = norm(x), its halves u_local and u_global
//   score_i = log softmax(MLP([u_local,i , mean over i of u_global,i]))_keep
#include "engine/reduce/dynamicvit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/fail.h"
#include "core/tensor/kernels.h"
#include "engine/model/load_linear.h"
#include "engine/reduce/one_cut.h"
#include "engine/reduce/share.h"
#include "engine/spec/prune_options.h"

namespace revisit::reduce {
namespace {

constexpr double kFloorSlack = 1e-9;  // 0.7 * 10 is 7
constexpr int kStageSteps = 10'000;   // a keep derived from rho has four digits
constexpr int kUsualStages = 3;

std::string predictor_name(int stage, const char* layer) { return fmt::format("score_predictor.{}.{}", stage, layer); }

}  // namespace

Predictor::Predictor(const model::Weights& weights, int stage, int width, tensor::Precision precision)
    : norm_gamma_(weights.f32_data(predictor_name(stage, "in_conv.0.weight"), width)),
      norm_beta_(weights.f32_data(predictor_name(stage, "in_conv.0.bias"), width)),
      in_(model::load_linear(weights, predictor_name(stage, "in_conv.1"), width, width,
                             {.after = tensor::Linear::After::kGelu, .precision = precision})),
      first_(model::load_linear(weights, predictor_name(stage, "out_conv.0"), width, width / 2,
                                {.after = tensor::Linear::After::kGelu, .precision = precision})),
      second_(model::load_linear(weights, predictor_name(stage, "out_conv.2"), width / 2, width / 4,
                                 {.after = tensor::Linear::After::kGelu})),
      last_(model::load_linear(weights, predictor_name(stage, "out_conv.4"), width / 4, 2)) {}

void Predictor::operator()(tensor::ConstMatrix patches, std::vector<float>& keep, tensor::Arena& arena) const {
  const tensor::Arena::Scope scope(arena);
  const int n = patches.rows, width = patches.cols, half = width / 2;
  const tensor::Matrix normed = arena.matrix(n, width), both = arena.matrix(n, width);
  tensor::layer_norm(patches, norm_gamma_, norm_beta_, kPredictorEps, normed);
  in_(normed, both, arena);
  const tensor::Matrix mean = arena.matrix(1, width - half);
  std::fill_n(mean.data, mean.cols, 0.0F);
  for (int i = 0; i < n; ++i) {
    for (int c = 0; c < mean.cols; ++c) mean.data[c] += both.row(i)[half + c];
  }
  for (int c = 0; c < mean.cols; ++c) mean.data[c] /= static_cast<float>(n);
  for (int i = 0; i < n; ++i) std::copy_n(mean.data, mean.cols, both.row(i) + half);

  const tensor::Matrix first = arena.matrix(n, first_.out()), second = arena.matrix(n, second_.out()), last = arena.matrix(n, 2);
  first_(both, first, arena);
  second_(first, second, arena);
  last_(second, last, arena);
  keep.resize(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    const double gap = static_cast<double>(last.row(i)[1]) - static_cast<double>(last.row(i)[0]);
    keep[static_cast<std::size_t>(i)] = static_cast<float>(-(std::max(gap, 0.0) + std::log1p(std::exp(-std::abs(gap)))));
  }
}

double Predictor::macs() const {
  return static_cast<double>(in_.in()) * in_.out() + static_cast<double>(first_.in()) * first_.out() +
         static_cast<double>(second_.in()) * second_.out() + 2.0 * last_.in();
}

int predictor_stages(const model::Weights& weights) {
  int stages = 0;
  while (weights.contains(predictor_name(stages, "in_conv.0.weight"))) ++stages;
  return stages;
}

Stages::Stages(const DescriptorSpec& spec, int count, int depth) : rho_(*spec.rho) {
  PruneOptions options(spec);
  keep_ = options.number("keep", 0, 1, true);
  blocks_ = options.blocks("at", depth).value_or(even_blocks(depth, count));
  options.finish();
  if (blocks_.size() != static_cast<std::size_t>(count)) {
    fail(ErrorCode::kUsage, "`prune` dynamicvit decides before {} blocks here, but the model has {} predictors", blocks_.size(),
         count);
  }
}

int Stages::count_for(const DescriptorSpec& spec, int depth) {
  PruneOptions options(spec);
  const auto blocks = options.blocks("at", depth);
  return static_cast<int>(blocks ? blocks->size() : even_blocks(depth, kUsualStages).size());
}

double Stages::keep_for(int patches) const {
  if (keep_) return *keep_;
  const auto with = [&](int step) { return left(1 - static_cast<double>(step) / kStageSteps, blocks_.back(), patches); };
  return 1 - static_cast<double>(number_for(rho_, patches, 0, kStageSteps - 1, with)) / kStageSteps;
}

int Stages::left(double keep, int blocks_done, int patches) const {
  const auto stages = std::ranges::upper_bound(blocks_, blocks_done) - blocks_.begin();
  if (stages == 0) return patches;
  const double count = std::floor(patches * std::pow(keep, static_cast<double>(stages)) + kFloorSlack);
  return std::clamp(static_cast<int>(count), 1, patches);
}

namespace {

class DynamicVit final : public TokenReducer {
 public:
  DynamicVit(Stages stages, std::vector<Predictor> predictors) : stages_(std::move(stages)), predictors_(std::move(predictors)) {}

  Needs needs(int /*block*/) const override { return Needs::kNothing; }
  void after_attention(int /*block*/, tensor::Tokens& /*tokens*/, const tensor::AttentionView& /*attention*/,
                       tensor::Arena& /*arena*/) override {}

  void after_block(int blocks_done, tensor::Tokens& tokens, tensor::Arena& arena) override {
    if (blocks_done == 0) all_ = tokens.patches();
    const auto& at = stages_.blocks();
    const auto found = std::ranges::lower_bound(at, blocks_done);
    if (!stages_.acts() || found == at.end() || *found != blocks_done) return;
    const auto stage = static_cast<std::size_t>(found - at.begin());
    predictors_[stage](tokens.patch_values(), scores_, arena);
    choose_best(scores_, patches_after(blocks_done, all_), kept_);
    tensor::keep_patches(tokens, kept_);
  }

  int patches_after(int blocks_done, int patches) const override { return stages_.left(blocks_done, patches); }

  double macs(int patches) const override {
    double sum = 0;
    for (std::size_t s = 0; stages_.acts() && s < predictors_.size(); ++s) {
      sum += predictors_[s].macs() * patches_after(stages_.blocks()[s] - 1, patches);
    }
    return sum;
  }

  std::string sentence(int patches) const override {
    if (!stages_.acts()) return {};
    return fmt::format("dynamicvit keeps {:.4g} of the patches before {}: {}", stages_.keep_for(patches),
                       blocks_text(stages_.blocks()), left_text(stages_.left(stages_.blocks().back(), patches), patches));
  }

 private:
  Stages stages_;
  std::vector<Predictor> predictors_;
  int all_ = 0;  // patches of this picture
  // Scratch, each (patches).
  std::vector<float> scores_;
  std::vector<int> kept_;
};

}  // namespace

const ReducerFamily dynamicvit_family{
    .make = [](const DescriptorSpec& spec, const model::LoadedModel& model) -> std::unique_ptr<TokenReducer> {
      const int count = predictor_stages(model.weights);
      if (count == 0) {
        fail_with_hint(
            ErrorCode::kUsage,
            "train one or import a DynamicViT checkpoint, or choose `prune` fastv, evit, tome or tofu, which run untrained",
            "dynamicvit prunes by predictors trained with the model, but this model has none");
      }
      Stages stages(spec, count, model.config.backbone.blocks());
      std::vector<Predictor> predictors;
      for (int s = 0; s < count; ++s) {
        predictors.emplace_back(model.weights, s, model.config.backbone.width(), tensor::precision_of(*spec.precision));
      }
      return std::make_unique<DynamicVit>(std::move(stages), std::move(predictors));
    },
    .has_options = true};

}  // namespace revisit::reduce

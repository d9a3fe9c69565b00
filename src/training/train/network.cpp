// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Which tensors are trained, and the path of a batch through the frozen and the trained part.
#include "training/train/network.h"

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/fail.h"
#include "engine/model/model_file.h"
#include "engine/reduce/one_cut.h"
#include "training/train/head_twin.h"
#include "training/train/tile_ops.h"
#include "training/train/vit_twin.h"

namespace revisit::train {
namespace {

constexpr const char* kThetaD = "aggregator.thetaD";
constexpr const char* kMeanAlpha = "aggregator.mean_alpha";  // follows the batches, without a gradient
constexpr double kRankingMomentum = 0.99;

bool is_block(const std::string& name, int& index) {
  const std::string prefix = "backbone.model.blocks.";
  if (!name.starts_with(prefix)) return false;
  index = std::stoi(name.substr(prefix.size()));
  return true;
}

/// The head, WeiToP and the final norm learn, and blocks from `frozen_blocks` on; with 0 frozen blocks everything.
bool learns(const std::string& name, int frozen_blocks) {
  int block = 0;
  if (is_block(name, block)) return block >= frozen_blocks;
  if (!name.starts_with("backbone.")) return true;
  return frozen_blocks == 0 || name.starts_with("backbone.model.norm.");
}

torch::Tensor to_tensor(const model::Weights& weights, const std::string& name, const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  const float* data = weights.f32_data(name, count);
  torch::Tensor tensor = torch::empty(shape, torch::kFloat32);
  std::memcpy(tensor.data_ptr<float>(), data, static_cast<std::size_t>(count) * sizeof(float));
  return tensor;
}

/// Keeps T - 1 equal steps equal: each gets the gradient of one number shared by all.
void tie(const torch::Tensor& deltas) {
  const double low = deltas.min().item<double>();
  const double high = deltas.max().item<double>();
  if (low != high) {
    fail_with_hint(ErrorCode::kUsage, "set tie_deltas = false",
                   "the model's steps between tiers differ (thetaD from {} to {}), so they cannot learn as one", low, high);
  }
  deltas.register_hook([](const torch::Tensor& gradient) { return gradient.sum().expand_as(gradient).contiguous(); });
}

/// (B, T, D) -> its patches (B, N, D)
torch::Tensor patches_of(const model::Config& config, const torch::Tensor& tokens) {
  return tokens.slice(1, 1 + config.vit().registers);
}

}  // namespace

torch::Tensor keep_patches(const torch::Tensor& tokens, std::int64_t first, const torch::Tensor& kept) {
  const torch::Tensor rows = (kept + first).unsqueeze(2).expand({-1, -1, tokens.size(2)});
  return torch::cat({tokens.slice(1, 0, first), tokens.gather(1, rows)}, 1);
}

Network::Network(const model::LoadedModel& model, const NetworkOptions& options) : config_(model.config), options_(options) {
  if (options.trained_blocks < 0 || options.trained_blocks > config_.backbone.blocks()) {
    fail(ErrorCode::kUsage, "trained_blocks must be between 0 and the model's {} blocks, not {}", config_.backbone.blocks(),
         options.trained_blocks);
  }
  if (!(options.dropout >= 0 && options.dropout < 1)) {
    fail(ErrorCode::kUsage, "dropout must be at least 0 and below 1, not {}", options.dropout);
  }
  if (!config_.nonfinite.empty()) {
    fail(ErrorCode::kBadModel, "the model '{}' holds NaN or infinity in tensor '{}', so it cannot be trained", config_.provenance,
         config_.nonfinite);
  }
  for (const auto& [name, shape] : model::required_tensors(config_)) {
    torch::Tensor tensor = to_tensor(model.weights, name, shape).to(options.device);
    tensor.set_requires_grad(name != kMeanAlpha &&
                             (options.weitop_only ? name.starts_with("weitop.") : learns(name, frozen_blocks())));
    if (name == kThetaD && options.tie_deltas && tensor.requires_grad()) tie(tensor);
    tensors_[name] = tensor;
  }
  if (options.prune) blocks_before_pruning_ = blocks_before_pruning(*options.prune, config_);
}

void Network::check_rho(double rho) const {
  reduce::check_rho(rho);
  if (rho < 1 && !has_weitop()) fail(ErrorCode::kUsage, "rho = {} needs WeiToP, but the model has none", rho);
}

torch::Tensor Network::embed(const torch::Tensor& pixels) const {
  const int patch = config_.vit().patch;
  if (pixels.dim() != 4 || pixels.size(1) != 3) {
    fail(ErrorCode::kInternal, "pictures must come as (batch, 3, height, width), not with {} dimensions", pixels.dim());
  }
  const auto height = static_cast<int>(pixels.size(2));
  const auto width = static_cast<int>(pixels.size(3));
  if (height < patch || width < patch || height % patch != 0 || width % patch != 0) {
    fail(ErrorCode::kUsage, "pictures of {}x{} do not fit: each side must be a multiple of the network's patch of {}", height,
         width, patch);
  }
  const std::pair grid{height / patch, width / patch};
  auto known = resampling_.find(grid);
  if (known == resampling_.end()) {
    const torch::Tensor matrix = position_resampling(config_.vit(), grid.first, grid.second);
    known = resampling_.emplace(grid, matrix.defined() ? matrix.to(options_.device) : matrix).first;
  }
  const torch::AutoGradMode gradients(torch::GradMode::is_enabled() && frozen_blocks() == 0);
  return embed_pixels(config_.vit(), tensors_, pixels.to(options_.device), known->second);
}

torch::Tensor Network::run_block(int index, const torch::Tensor& tokens, PrunerTwin* pruner) const {
  // What predictors learn comes through the blocks behind them, frozen or not.
  const bool learns = index >= frozen_blocks() || (config_.predictors > 0 && pruner != nullptr);
  const torch::AutoGradMode gradients(torch::GradMode::is_enabled() && learns);
  return run_vit_block(config_.vit(), tensors_, index, tokens, pruner);
}

void Network::advance(FrozenTokens& state, int first, int last, double rho, PrunerTwin* pruner) const {
  for (int done = first;; ++done) {
    // A defined input means that the pruning layer has been passed, perhaps at the very end of the frozen part.
    if (has_weitop() && done == config_.own.prune_layer && !state.weitop_input.defined()) {
      state.weitop_input = patches_of(config_, state.tokens).detach();
      if (rho < 1) {
        state.kept = choose_patches(config_.own, tensors_, state.weitop_input, state.columns, rho);
        state.tokens = keep_patches(state.tokens, 1 + config_.vit().registers, state.kept);
      }
    }
    if (pruner != nullptr) state.tokens = pruner->after_blocks(done, state.tokens);
    if (done == last) return;
    state.tokens = run_block(done, state.tokens, pruner);
  }
}

FrozenTokens Network::frozen(const torch::Tensor& pixels, double rho) const {
  const TileProducts products(options_.tiles);
  check_rho(rho);
  FrozenTokens out;
  out.tokens = embed(pixels);
  out.columns = static_cast<int>(pixels.size(3)) / config_.vit().patch;
  advance(out, 0, fixed_blocks(), rho);
  return out;
}

Forward Network::forward(const FrozenTokens& frozen, bool training, double rho) const {
  const TileProducts products(options_.tiles);
  check_rho(rho);
  if (config_.head.kind != model::kWeiad && config_.head.kind != model::kSalad) {
    fail(ErrorCode::kUsage, "only WeiAD and SALAD heads can be trained, and the model's aggregator is '{}'", config_.head.kind);
  }
  if (rho < 1 && frozen.weitop_input.defined()) {  // pruned already, or never
    const int wanted = reduce::kept_count(rho, static_cast<int>(frozen.weitop_input.size(1)));
    const std::int64_t there = frozen.kept.defined() ? frozen.kept.size(1) : frozen.weitop_input.size(1);
    if (there != wanted) {
      fail(ErrorCode::kInternal, "the frozen part kept {} patches, but rho = {} leaves {}: both parts must be given one rho",
           there, rho, wanted);
    }
  }
  FrozenTokens state = frozen;
  std::unique_ptr<PrunerTwin> pruner;
  if (options_.prune) {
    const auto patches = static_cast<int>(patches_of(config_, state.tokens).size(1));
    pruner = make_pruner_twin(*options_.prune, config_, tensors_, state.tokens.size(0), patches, state.columns, training);
  }
  advance(state, fixed_blocks(), config_.backbone.blocks(), rho, pruner.get());
  const torch::Tensor tokens = final_norm(config_.vit(), tensors_, state.tokens);
  Forward out;
  if (pruner) out.pruned = pruner->result();
  if (out.pruned.mass.defined()) out.pruned.mass = out.pruned.mass.to(tokens.device());
  const HeadResult head = run_head(config_.head, tensors_, tokens.select(1, 0), patches_of(config_, tokens),
                                   training ? options_.dropout : 0.0, out.pruned.mass);
  out.tokens = tokens;
  out.descriptor = head.descriptor;
  out.importance = options_.teacher_gradient ? head.importance : head.importance.detach();
  out.ghost = head.ghost;
  out.tier_of = head.tier_of;
  out.alpha = head.alpha;
  out.kept = pruner ? out.pruned.kept : state.kept;
  if (has_weitop()) {
    out.scores = weitop_scores(tensors_, state.weitop_input);
    if (state.kept.defined()) out.scores = out.scores.gather(1, state.kept);
  }
  return out;
}

// From zero, so it is too small at first by one factor for all clusters, which changes no order.
void Network::follow_ranking(const Forward& out) {
  const auto mean = tensors_.find(kMeanAlpha);
  if (mean == tensors_.end() || options_.weitop_only) return;
  const torch::NoGradGuard no_grad;
  mean->second.mul_(kRankingMomentum).add_(out.alpha.to(torch::kFloat32).mean(0), 1 - kRankingMomentum);
}

torch::Tensor Network::tokens(const torch::Tensor& pixels, int block, const torch::Tensor& seen) const {
  const TileProducts products(options_.tiles);
  const int depth = config_.backbone.blocks();
  if (block < -1 || block >= depth) {
    fail(ErrorCode::kUsage, "block {} does not exist: the model has blocks 0 to {}; -1 stands for the end", block, depth - 1);
  }
  torch::Tensor tokens = embed(pixels);
  if (seen.defined()) tokens = tokens.index_select(1, seen);
  for (int i = 0; i < (block < 0 ? depth : block + 1); ++i) tokens = run_block(i, tokens);
  return block < 0 ? final_norm(config_.vit(), tensors_, tokens) : tokens;
}

model::LoadedModel Network::to_model() const {
  model::LoadedModel out;
  out.config = config_;
  out.config.calibration.reset();  // measured with other weights
  for (const auto& [name, shape] : model::required_tensors(config_)) {
    const torch::Tensor tensor = tensors_.at(name).detach().to(torch::kCPU, torch::kFloat32).contiguous();
    const float* data = tensor.data_ptr<float>();
    out.weights.add_f32(name, shape, std::vector<float>(data, data + tensor.numel()));
    if (out.config.nonfinite.empty() && !torch::isfinite(tensor).all().item<bool>()) out.config.nonfinite = name;
  }
  out.config.fingerprint = model::fingerprint_of(out.weights);
  return out;
}

}  // namespace revisit::train

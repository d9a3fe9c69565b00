// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Scores of the one-cut pruners and the choice of the K best.
// Symbols: x_i patch i after the pruning layer (residual stream, no norm), z_i student logit, rho share kept, kappa mixing.
#include "engine/reduce/pruner.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "core/base/random.h"
#include "core/tensor/kernels.h"
#include "engine/model/load_linear.h"

namespace revisit::reduce {
namespace {

constexpr double kRange = 1e-6;  // added to max - min, so that equal values become 0 and not NaN

/// (x - min) / (max - min + kRange) over the finite values; the others stay as they are.
void min_max(std::span<float> values) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, static_cast<double>(value));
    high = std::max(high, static_cast<double>(value));
  }
  for (float& value : values) {
    if (std::isfinite(value)) value = static_cast<float>((value - low) / (high - low + kRange));
  }
}

/// A number in [0, 1) that depends on nothing but seed, picture and index.
float hashed_uniform(std::uint64_t seed, std::uint64_t picture, std::uint64_t index) {
  return static_cast<float>(scatter(scatter(seed ^ picture) ^ index) >> 40U) * 0x1p-24F;
}

}  // namespace

void check_rho(double rho) {
  if (!(rho > 0 && rho <= 1)) fail(ErrorCode::kUsage, "rho must be above 0 and at most 1, not {}", rho);
}

int kept_count(double rho, int patches) {
  const double count = std::ceil(rho * patches - 1e-9);
  return static_cast<int>(std::clamp(count, 1.0, std::max(1.0, static_cast<double>(patches))));
}

void choose_best(const std::vector<float>& scores, int count, std::vector<int>& kept) {
  kept.resize(scores.size());
  std::iota(kept.begin(), kept.end(), 0);
  const auto key = [&](int i) {
    const float score = scores[static_cast<std::size_t>(i)];
    return std::isfinite(score) ? score : -std::numeric_limits<float>::infinity();
  };
  const auto better = [&](int a, int b) { return key(a) != key(b) ? key(a) > key(b) : a < b; };
  const auto cut = kept.begin() + std::min(count, static_cast<int>(kept.size()));
  if (cut != kept.end()) std::nth_element(kept.begin(), cut, kept.end(), better);
  kept.erase(cut, kept.end());
  std::ranges::sort(kept);
}

void spread_scores(std::vector<float>& scores, int columns, int cell, std::vector<float>& scratch) {
  const int count = static_cast<int>(scores.size());
  if (columns < 1 || count % columns != 0) fail(ErrorCode::kInternal, "{} patches are no grid of {} columns", count, columns);
  const auto at = [&](int i) { return scores[static_cast<std::size_t>(i)]; };
  scratch = scores;
  min_max(scratch);
  for (int i = 0; i < count; ++i) {
    if (!std::isfinite(at(i))) continue;
    const int top = i / columns / cell * cell, left = i % columns / cell * cell;
    const int bottom = std::min(top + cell, count / columns), right = std::min(left + cell, columns);
    int beaten = 0;
    for (int y = top; y < bottom; ++y) {
      for (int j = y * columns + left; j < y * columns + right; ++j) {
        if (j != i && (!std::isfinite(at(j)) || at(i) > at(j) || (at(i) == at(j) && i < j))) ++beaten;
      }
    }
    float& out = scratch[static_cast<std::size_t>(i)];
    out = (static_cast<float>(beaten) + out) / static_cast<float>((bottom - top) * (right - left));
  }
  scores.swap(scratch);
}

TokenPruner::TokenPruner(const PruneSettings& settings, const model::LoadedModel& model) : settings_(settings) {
  check(settings.rho);
  const int depth = model.config.backbone.blocks();
  if (settings.layer < 0 || settings.layer > depth) {
    fail(ErrorCode::kUsage, "the pruning layer must be between 0 and the model's {} blocks, not {}", depth, settings.layer);
  }
  if (!(settings.kappa >= 0 && settings.kappa <= 1)) {
    fail(ErrorCode::kUsage, "kappa must be between 0 and 1, not {}", settings.kappa);
  }
  if (settings.spread < 1 || settings.spread > limits::kMaxSpread) {
    fail(ErrorCode::kUsage, "spread must be between 1 and {}, not {}", limits::kMaxSpread, settings.spread);
  }
  if (settings.kind != model::PruneKind::kWeitop) return;
  if (!model.weights.contains("weitop.0.weight")) {
    fail_with_hint(ErrorCode::kUsage, "--prune norm|random", "the model has no WeiToP weights to prune with");
  }
  const int width = model.config.backbone.width();
  const int hidden = model.config.prune.hidden;
  student_.emplace(Student{model::load_linear(model.weights, "weitop.0", width, hidden, {.after = tensor::Linear::After::kRelu}),
                           model::load_linear(model.weights, "weitop.2", hidden, 1)});
}

void TokenPruner::check(double rho) const {
  check_rho(rho);
  if (rho < 1 && settings_.kind == model::PruneKind::kNone) {
    fail_with_hint(ErrorCode::kUsage, "--prune norm|random", "rho = {} needs a pruner, but there is none", rho);
  }
}

void TokenPruner::set_rho(double rho) {
  check(rho);
  settings_.rho = rho;
}

void TokenPruner::see(std::span<const float> pixels) {
  if (settings_.kind != model::PruneKind::kRandom) return;
  picture_ = pixels.size();
  for (const float pixel : pixels) picture_ = (picture_ ^ std::bit_cast<std::uint32_t>(pixel)) * 0x9e3779b97f4a7c15ULL;
  picture_ = scatter(picture_);
}

void TokenPruner::after_block(int blocks_done, tensor::Tokens& tokens, tensor::Arena& arena) {
  if (blocks_done != settings_.layer || settings_.kind == model::PruneKind::kNone) return;
  if (settings_.rho >= 1 && trace_ == nullptr) return;
  const int patches = tokens.patches();
  if (patches < 1) return;
  score(tokens.patch_values(), arena);
  if (settings_.spread > 1) spread_scores(scores_, tokens.columns, settings_.spread, spread_);
  if (trace_ != nullptr) {
    trace_->logits = logits_;
    trace_->scores = scores_;
  }
  if (settings_.rho >= 1) return;
  choose_best(scores_, kept_count(settings_.rho, patches), kept_);
  tensor::keep_patches(tokens, kept_);
}

void TokenPruner::score(tensor::ConstMatrix patches, tensor::Arena& arena) {
  const auto count = static_cast<std::size_t>(patches.rows);
  scores_.resize(count);
  if (settings_.kind == model::PruneKind::kRandom) {
    for (std::size_t i = 0; i < count; ++i) scores_[i] = hashed_uniform(settings_.seed, picture_, i);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) scores_[i] = tensor::l2_norm(patches.row(static_cast<int>(i)), patches.cols);
  if (settings_.norm_scale == model::NormScale::kMinMax) min_max(scores_);
  if (!student_) return;  // norm alone

  // Literal formula (raw): kappa * minmax(z) + (1 - kappa) * ||x||. The paper min-maxes z and leaves the norm's scale open;
  // the default min-maxes both, since a raw norm of 30 or more would drown z. In the raw reading z stays min-maxed.
  const tensor::Arena::Scope scope(arena);
  const tensor::Matrix hidden = arena.matrix(patches.rows, student_->first.out());
  student_->first(patches, hidden, arena);
  logits_.resize(count);
  student_->second(hidden, {logits_.data(), patches.rows, 1, 1}, arena);
  // The trace shows the logit itself, so its min-max is taken on a copy.
  const tensor::Matrix scaled = arena.matrix(1, patches.rows);
  std::ranges::copy(logits_, scaled.data);
  min_max({scaled.data, count});
  for (std::size_t i = 0; i < count; ++i) {
    scores_[i] = static_cast<float>(settings_.kappa * scaled.data[i] + (1 - settings_.kappa) * scores_[i]);
  }
}

}  // namespace revisit::reduce

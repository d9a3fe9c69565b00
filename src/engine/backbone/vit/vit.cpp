// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Embedding, the block loop and the final norm.
#include "engine/backbone/vit/vit.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <string>

#include "core/tensor/kernels.h"
#include "core/tensor/parallel.h"
#include "engine/backbone/vit/position.h"
#include "engine/model/load_linear.h"

namespace revisit::vit {
namespace {

const std::string kPrefix = "backbone.model.";

// (3, H, W) -> (N0, 3 * patch * patch)
void gather_patches(const float* pixels, Size size, int patch, tensor::Matrix out) {
  const int grid_cols = size.width / patch;
  tensor::parallel_for(out.rows, [&](int i) {
    const std::ptrdiff_t top = static_cast<std::ptrdiff_t>(i / grid_cols) * patch;
    const std::ptrdiff_t left = static_cast<std::ptrdiff_t>(i % grid_cols) * patch;
    float* to = out.row(i);
    for (std::ptrdiff_t channel = 0; channel < 3; ++channel) {
      for (std::ptrdiff_t y = 0; y < patch; ++y, to += patch) {
        const float* from = pixels + (channel * size.height + top + y) * size.width + left;
        std::memcpy(to, from, sizeof(float) * static_cast<std::size_t>(patch));
      }
    }
  });
}

}  // namespace

// The patch embedding is a convolution whose stride is its kernel size: one product over flattened patches (channel, y, x).
Vit::Vit(const model::LoadedModel& model, tensor::Precision precision)
    : config_(model.config.vit()),
      patch_(model::load_linear(model.weights, kPrefix + "patch_embed.proj", 3 * config_.patch * config_.patch, config_.width,
                                {.after = tensor::Linear::After::kAdd})) {
  const auto data = [&](const char* name, std::int64_t rows) {
    return model.weights.f32_data(kPrefix + name, rows * config_.width);
  };
  cls_token_ = data("cls_token", 1);
  register_tokens_ = config_.registers > 0 ? data("register_tokens", config_.registers) : nullptr;
  position_table_ = data("pos_embed", 1 + static_cast<std::int64_t>(config_.pos_rows) * config_.pos_cols);
  norm_gamma_ = data("norm.weight", 1);
  norm_beta_ = data("norm.bias", 1);
  blocks_.reserve(static_cast<std::size_t>(config_.depth));
  for (int i = 0; i < config_.depth; ++i)
    blocks_.emplace_back(config_, model.weights, kPrefix + "blocks." + std::to_string(i) + ".", precision);
}

const std::vector<float>& Vit::positions(int rows, int cols) const {
  const std::lock_guard guard(mutex_);
  const auto [slot, is_new] = positions_.try_emplace({rows, cols});
  if (is_new) {
    const float* patch_table = position_table_ + config_.width;
    slot->second =
        resample_positions(patch_table, config_.pos_rows, config_.pos_cols, config_.width, rows, cols, config_.pos_rule);
  }
  return slot->second;
}

tensor::Features Vit::embed(const float* pixels, Size size, tensor::Arena& arena) const {
  const int rows = size.height / config_.patch;
  const int cols = size.width / config_.patch;
  const int count = rows * cols;
  const auto width = static_cast<std::size_t>(config_.width);

  tensor::Tokens tokens;
  tokens.prefix = 1 + config_.registers;
  tokens.values = arena.matrix(tokens.prefix + count, config_.width);
  tokens.kept = arena.numbers<int>(static_cast<std::size_t>(count));
  std::iota(tokens.kept.begin(), tokens.kept.end(), 0);
  tokens.columns = cols;
  tokens.mass = arena.numbers<float>(tokens.kept.size());
  std::ranges::fill(tokens.mass, 1.0F);
  tokens.owner = arena.numbers<int>(tokens.kept.size());
  std::ranges::copy(tokens.kept, tokens.owner.begin());

  std::transform(cls_token_, cls_token_ + width, position_table_, tokens.values.row(0), std::plus<>());
  if (register_tokens_ != nullptr) {  // registers have no position
    std::copy(register_tokens_, register_tokens_ + width * static_cast<std::size_t>(config_.registers), tokens.values.row(1));
  }

  const tensor::Arena::Scope scope(arena);
  const tensor::Matrix patches = arena.matrix(count, 3 * config_.patch * config_.patch);
  gather_patches(pixels, size, config_.patch, patches);
  const std::vector<float>& table = positions(rows, cols);
  std::copy(table.begin(), table.end(), tokens.patch_values().data);
  patch_(patches, tokens.patch_values(), arena);  // adds to the positions
  return tokens;
}

void Vit::run_blocks(tensor::Features& features, int first, int last, tensor::TokenHook* hook, tensor::Arena& arena) const {
  tensor::Tokens& tokens = features.tokens();
  if (hook != nullptr && first == 0) hook->after_block(0, tokens, arena);
  for (int i = first; i < last; ++i) {
    const Block& block = blocks_[static_cast<std::size_t>(i)];
    {
      const tensor::Arena::Scope scope(arena);
      tensor::AttentionView view;
      block.attend(tokens, hook != nullptr ? hook->needs(i) : tensor::TokenHook::Needs::kNothing,
                   hook != nullptr && hook->weighs_by_mass(i), view, arena);
      if (hook != nullptr) hook->after_attention(i, tokens, view, arena);
    }
    block.feed_forward(tokens, arena);
    if (hook != nullptr) hook->after_block(i + 1, tokens, arena);
  }
}

void Vit::normalise(tensor::Features& features) const {
  const tensor::Matrix values = features.tokens().values;
  tensor::layer_norm(values, norm_gamma_, norm_beta_, config_.norm_eps, values);
}

}  // namespace revisit::vit

namespace revisit::backbone {

std::unique_ptr<Backbone> make_vit(const model::LoadedModel& model, tensor::Precision precision) {
  return std::make_unique<vit::Vit>(model, precision);
}

}  // namespace revisit::backbone

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A block on the tensor kernels. Both halves add into the residual stream in place.
#include "engine/backbone/vit/block.h"

#include <algorithm>

#include "core/tensor/attention.h"
#include "core/tensor/kernels.h"
#include "engine/model/load_linear.h"

namespace revisit::vit {
namespace {

using model::load_linear;
using After = tensor::Linear::After;

/// A layer whose result is added to the tokens, after LayerScale where the network has it.
model::LinearForm added(const model::VitConfig& config, const std::string& scale, tensor::Precision precision) {
  return {.after = After::kAdd, .out_scale = config.layer_scale ? scale + ".gamma" : "", .precision = precision};
}

/// 1 for CLS and registers, then those of the patches; null while none was merged.
const float* key_masses(const tensor::Tokens& tokens, tensor::Arena& arena) {
  if (!tensor::any_merged(tokens)) return nullptr;
  float* out = arena.floats(static_cast<std::size_t>(tokens.values.rows));
  std::ranges::copy(tokens.mass, std::fill_n(out, tokens.prefix, 1.0F));
  return out;
}

}  // namespace

Block::Block(const model::VitConfig& c, const model::Weights& w, const std::string& prefix, tensor::Precision precision)
    : precision_(precision),
      heads_(c.heads),
      hidden_(c.ffn_hidden),
      swiglu_(c.swiglu),
      eps_(c.norm_eps),
      norm1_{w.f32_data(prefix + "norm1.weight", c.width), w.f32_data(prefix + "norm1.bias", c.width)},
      norm2_{w.f32_data(prefix + "norm2.weight", c.width), w.f32_data(prefix + "norm2.bias", c.width)},
      qkv_(load_linear(w, prefix + "attn.qkv", c.width, 3 * c.width, {.precision = precision})),
      proj_(load_linear(w, prefix + "attn.proj", c.width, c.width, added(c, prefix + "ls1", precision))),
      up_(c.swiglu ? load_linear(w, prefix + "mlp.w12", c.width, 2 * c.ffn_hidden, {.precision = precision})
                   : load_linear(w, prefix + "mlp.fc1", c.width, c.ffn_hidden, {.after = After::kGelu, .precision = precision})),
      down_(load_linear(w, prefix + (c.swiglu ? "mlp.w3" : "mlp.fc2"), c.ffn_hidden, c.width, added(c, prefix + "ls2", precision))) {}

void Block::attend(tensor::Tokens& tokens, tensor::TokenHook::Needs needs, bool by_mass, tensor::AttentionView& view,
                   tensor::Arena& arena) const {
  const tensor::Matrix x = tokens.values;
  const tensor::Matrix qkv = arena.matrix(x.rows, 3 * x.cols);
  const tensor::Matrix normed = arena.matrix(x.rows, x.cols);  // reused for the attention output
  float* cls_row = needs == tensor::TokenHook::Needs::kClsRow ? arena.floats(static_cast<std::size_t>(x.rows)) : nullptr;

  tensor::layer_norm(x, norm1_.gamma, norm1_.beta, eps_, normed);
  qkv_(normed, qkv, arena);
  tensor::attention(qkv, heads_, normed, arena, cls_row, precision_, by_mass ? key_masses(tokens, arena) : nullptr);
  proj_(normed, x, arena);

  view.cls_row = cls_row;
  if (needs == tensor::TokenHook::Needs::kKeys) view.keys = {qkv.data + x.cols, x.rows, x.cols, qkv.stride};
}

void Block::feed_forward(tensor::Tokens& tokens, tensor::Arena& arena) const {
  const tensor::Arena::Scope scope(arena);
  const tensor::Matrix x = tokens.values;
  const tensor::Matrix normed = arena.matrix(x.rows, x.cols);
  const tensor::Matrix up = arena.matrix(x.rows, up_.out());

  tensor::layer_norm(x, norm2_.gamma, norm2_.beta, eps_, normed);
  up_(normed, up, arena);
  if (swiglu_) {
    const tensor::Matrix gated = arena.matrix(x.rows, hidden_);
    tensor::swiglu(up, gated);
    down_(gated, x, arena);
  } else {
    down_(up, x, arena);
  }
}

}  // namespace revisit::vit

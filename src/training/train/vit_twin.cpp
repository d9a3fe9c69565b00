// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Embedding, blocks, final norm and pruning scores on torch tensors.
#include "training/train/vit_twin.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "engine/backbone/vit/position.h"
#include "engine/reduce/one_cut.h"
#include "training/train/pruner_twin.h"
#include "training/train/tile_ops.h"

namespace revisit::train {
namespace {

const std::string kRoot = "backbone.model.";

torch::Tensor layer_norm(const Tensors& tensors, const std::string& name, float eps, const torch::Tensor& x) {
  return torch::layer_norm(x, {x.size(-1)}, tensors.at(name + ".weight"), tensors.at(name + ".bias"), static_cast<double>(eps));
}

/// (B, T, 3 D) -> (3, B, heads, T, head size)
torch::Tensor split_heads(const torch::Tensor& qkv, std::int64_t heads) {
  return qkv.reshape({qkv.size(0), qkv.size(1), 3, heads, qkv.size(2) / 3 / heads}).permute({2, 0, 3, 1, 4});
}

double root_of_head(const torch::Tensor& qkv, std::int64_t heads) {
  return std::sqrt(static_cast<double>(qkv.size(2)) / 3 / static_cast<double>(heads));
}

torch::Tensor activated(const torch::Tensor& x) { return TileProducts::on() ? fast_gelu(x) : torch::gelu(x); }

torch::Tensor feed_forward(const model::VitConfig& vit, const Tensors& tensors, const std::string& mlp, const torch::Tensor& x) {
  if (!vit.swiglu) return linear(tensors, mlp + "fc2", activated(linear(tensors, mlp + "fc1", x)));
  const std::vector<torch::Tensor> halves = linear(tensors, mlp + "w12", x).chunk(2, -1);
  return linear(tensors, mlp + "w3", torch::silu(halves[0]) * halves[1]);
}

/// To 0..1 along each row, as the pruner of the inference engine does it.
torch::Tensor min_max(const torch::Tensor& x) {
  constexpr double kRange = 1e-6;
  const torch::Tensor low = x.amin(1, true);
  return (x - low) / (x.amax(1, true) - low + kRange);
}

/// Small enough, and rare enough, for the engine's own loop: (B, N) -> (B, N).
torch::Tensor spread(const torch::Tensor& scores, int columns, int cell) {
  const torch::Tensor out = scores.to(torch::kCPU, torch::kFloat32).contiguous().clone();
  for (std::int64_t i = 0; i < out.size(0); ++i) {
    float* row = out[i].data_ptr<float>();
    std::vector<float> values(row, row + out.size(1)), scratch;
    reduce::spread_scores(values, columns, cell, scratch);
    std::ranges::copy(values, row);
  }
  return out.to(scores.device());
}

/// (B, 3, H, W) -> (B, N, D). A convolution with stride equal to its kernel is a product with each patch as a row.
torch::Tensor project_patches(const model::VitConfig& vit, const Tensors& tensors, const torch::Tensor& pixels) {
  const std::string name = kRoot + "patch_embed.proj";
  if (!TileProducts::on()) {
    return torch::conv2d(pixels, tensors.at(name + ".weight"), tensors.at(name + ".bias"), vit.patch).flatten(2).transpose(1, 2);
  }
  const std::int64_t patch = vit.patch, rows = pixels.size(2) / patch, cols = pixels.size(3) / patch;
  const torch::Tensor cut = pixels.reshape({-1, 3, rows, patch, cols, patch}).permute({0, 2, 4, 1, 3, 5});
  return linear(tensors, name, cut.reshape({-1, rows * cols, 3 * patch * patch}));
}

}  // namespace

torch::Tensor linear(const Tensors& tensors, const std::string& name, const torch::Tensor& x) {
  const torch::Tensor matrix = tensors.at(name + ".weight").flatten(1);
  const torch::Tensor& bias = tensors.at(name + ".bias");
  return TileProducts::on() ? tile_linear(x, matrix, bias) : torch::linear(x, matrix, bias);
}

torch::Tensor position_resampling(const model::VitConfig& vit, int rows, int cols) {
  if (rows == vit.pos_rows && cols == vit.pos_cols) return {};
  const int cells = vit.pos_rows * vit.pos_cols;
  // The table whose channel c is 1 at cell c and 0 elsewhere: what becomes of it is the matrix.
  std::vector<float> unit(static_cast<std::size_t>(cells) * static_cast<std::size_t>(cells), 0.0F);
  for (int c = 0; c < cells; ++c) unit[static_cast<std::size_t>(c) * (static_cast<std::size_t>(cells) + 1)] = 1.0F;
  std::vector<float> matrix = vit::resample_positions(unit.data(), vit.pos_rows, vit.pos_cols, cells, rows, cols, vit.pos_rule);
  return torch::from_blob(matrix.data(), {std::int64_t{rows} * cols, cells}, torch::kFloat32).clone();
}

torch::Tensor embed_pixels(const model::VitConfig& vit, const Tensors& tensors, const torch::Tensor& pixels,
                           const torch::Tensor& resampling) {
  const auto batch = pixels.size(0);
  const torch::Tensor table = tensors.at(kRoot + "pos_embed")[0];  // (1 + cells, D): row 0 belongs to CLS
  const torch::Tensor cells = table.slice(0, 1);
  const torch::Tensor patches =
      project_patches(vit, tensors, pixels) + (resampling.defined() ? torch::matmul(resampling, cells) : cells);
  std::vector<torch::Tensor> parts{(tensors.at(kRoot + "cls_token") + table[0]).expand({batch, 1, vit.width})};
  // Registers have no position.
  if (vit.registers > 0) parts.push_back(tensors.at(kRoot + "register_tokens").expand({batch, vit.registers, vit.width}));
  parts.push_back(patches);
  return torch::cat(parts, 1);
}

torch::Tensor weighted_softmax(const torch::Tensor& scores, const torch::Tensor& weights, bool sees_itself) {
  if (!weights.defined()) return torch::softmax(scores, -1);
  torch::Tensor often = weights.unsqueeze(1).unsqueeze(2);  // (B, 1, 1, T)
  if (sees_itself) often = often + (1 - often) * torch::eye(scores.size(-1), scores.options());
  const torch::Tensor shares = torch::exp(scores - scores.detach().amax(-1, true)) * often;
  const double slack = sees_itself ? kPolicySlack : 0;
  return (shares + slack / static_cast<double>(scores.size(-1))) / (shares.sum(-1, true) + slack);
}

torch::Tensor attend(const torch::Tensor& qkv, std::int64_t heads, const torch::Tensor& weights, bool sees_itself) {
  if (TileProducts::on()) return tile_attention(qkv, heads, weights, sees_itself);
  const torch::Tensor parts = split_heads(qkv, heads);
  const torch::Tensor q = parts[0] / root_of_head(qkv, heads);
  const torch::Tensor shares = weighted_softmax(torch::matmul(q, parts[1].transpose(-2, -1)), weights, sees_itself);
  return torch::matmul(shares, parts[2]).transpose(1, 2).reshape({qkv.size(0), qkv.size(1), qkv.size(2) / 3});
}

torch::Tensor cls_attention(const torch::Tensor& qkv, std::int64_t heads, const torch::Tensor& weights) {
  const torch::Tensor parts = split_heads(qkv, heads);
  const torch::Tensor q = parts[0].slice(2, 0, 1) / root_of_head(qkv, heads);  // (B, heads, 1, head size)
  return weighted_softmax(torch::matmul(q, parts[1].transpose(-2, -1)), weights, false).mean(1).squeeze(1);
}

torch::Tensor run_vit_block(const model::VitConfig& vit, const Tensors& tensors, int index, const torch::Tensor& x,
                            PrunerTwin* pruner) {
  const std::string block = kRoot + "blocks." + std::to_string(index) + ".";
  const auto scaled = [&](const char* scale, const torch::Tensor& branch) {
    return vit.layer_scale ? branch * tensors.at(block + scale + ".gamma") : branch;
  };
  const torch::Tensor qkv = linear(tensors, block + "attn.qkv", layer_norm(tensors, block + "norm1", vit.norm_eps, x));
  const torch::Tensor mixed = pruner != nullptr ? pruner->attend(index, qkv) : attend(qkv, vit.heads);
  torch::Tensor attended = x + scaled("ls1", linear(tensors, block + "attn.proj", mixed));
  if (pruner != nullptr) attended = pruner->after_attention(index, attended);
  return attended +
         scaled("ls2", feed_forward(vit, tensors, block + "mlp.", layer_norm(tensors, block + "norm2", vit.norm_eps, attended)));
}

torch::Tensor final_norm(const model::VitConfig& vit, const Tensors& tensors, const torch::Tensor& x) {
  return layer_norm(tensors, kRoot + "norm", vit.norm_eps, x);
}

torch::Tensor weitop_scores(const Tensors& tensors, const torch::Tensor& patches) {
  return linear(tensors, "weitop.2", torch::relu(linear(tensors, "weitop.0", patches))).squeeze(-1);
}

torch::Tensor choose_patches(const DescriptorSpec& own, const Tensors& tensors, const torch::Tensor& patches, int columns,
                             double rho) {
  const torch::NoGradGuard no_grad;
  torch::Tensor norms = patches.norm(2, -1);
  if (*own.norm_scale == "minmax") norms = min_max(norms);
  torch::Tensor score = *own.kappa * min_max(weitop_scores(tensors, patches)) + (1 - *own.kappa) * norms;
  if (own.spread.value_or(1) > 1) score = spread(score, columns, *own.spread);
  const int count = reduce::kept_count(rho, static_cast<int>(patches.size(1)));
  // A stable sort, so that the lower index wins among equal scores.
  const torch::Tensor best = torch::argsort(score, /*stable=*/true, /*dim=*/1, /*descending=*/true).slice(1, 0, count);
  return std::get<0>(best.sort(1));
}

}  // namespace revisit::train

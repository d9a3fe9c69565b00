// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The tensors of a vision transformer, and random values for them.
#include <fmt/format.h>

#include <string_view>

#include "engine/model/random_values.h"
#include "engine/model/vit_family.h"

namespace revisit::model {
namespace {

/// A position table: per channel a coarse lattice of random heights, read bilinearly, plus a little noise, so that
/// neighbouring patches get similar positions as in trained networks. Row 0 is CLS.
void fill_positions(std::vector<float>& values, const Uniform& uniform, const VitConfig& vit) {
  constexpr std::uint64_t kLattice = 6;
  const auto width = static_cast<std::size_t>(vit.width);
  const auto height_at = [&](std::uint64_t y, std::uint64_t x, std::uint64_t channel) {
    return 0.5 * uniform(values.size() + (y * kLattice + x) * width + channel);
  };
  const auto lattice_place = [](int i, int count) {
    return count > 1 ? static_cast<double>(i) / (count - 1) * (kLattice - 1.000001) : 0.0;
  };
  for (std::size_t c = 0; c < width; ++c) values[c] = static_cast<float>(0.3 * uniform(c));
  for (int row = 0; row < vit.pos_rows; ++row) {
    const double y = lattice_place(row, vit.pos_rows);
    const auto y0 = static_cast<std::uint64_t>(y);
    const double fy = y - static_cast<double>(y0);
    for (int col = 0; col < vit.pos_cols; ++col) {
      const double x = lattice_place(col, vit.pos_cols);
      const auto x0 = static_cast<std::uint64_t>(x);
      const double fx = x - static_cast<double>(x0);
      const std::size_t base = (1 + static_cast<std::size_t>(row) * static_cast<std::size_t>(vit.pos_cols) + col) * width;
      for (std::size_t c = 0; c < width; ++c) {
        const double top = (1 - fx) * height_at(y0, x0, c) + fx * height_at(y0, x0 + 1, c);
        const double bottom = (1 - fx) * height_at(y0 + 1, x0, c) + fx * height_at(y0 + 1, x0 + 1, c);
        values[base + c] = static_cast<float>((1 - fy) * top + fy * bottom + 0.03 * uniform(base + c));
      }
    }
  }
}

/// Sharper queries and keys than a plain layer's give attention that is not flat.
double gain_of(std::string_view name) {
  if (name.ends_with("attn.qkv.weight")) return 1.4;
  if (name.ends_with("attn.proj.weight")) return 0.7;
  return 1.0;
}

}  // namespace

void VitFamily::add_tensors(const BackboneConfig& config, Shapes& shapes) const {
  const VitConfig& vit = config.vit();
  const std::string root = kBackboneRoot;
  const std::int64_t width = vit.width;
  shapes[root + "cls_token"] = {1, 1, width};
  shapes[root + "pos_embed"] = {1, 1 + std::int64_t{vit.pos_rows} * vit.pos_cols, width};
  if (vit.registers > 0) shapes[root + "register_tokens"] = {1, vit.registers, width};
  shapes[root + "patch_embed.proj.weight"] = {width, 3, vit.patch, vit.patch};
  shapes[root + "patch_embed.proj.bias"] = {width};
  for (int i = 0; i < vit.depth; ++i) {
    const std::string block = fmt::format("{}blocks.{}.", root, i);
    add_norm(shapes, block + "norm1", width);
    add_linear(shapes, block + "attn.qkv", 3 * width, width);
    add_linear(shapes, block + "attn.proj", width, width);
    add_norm(shapes, block + "norm2", width);
    if (vit.swiglu) {
      add_linear(shapes, block + "mlp.w12", 2 * std::int64_t{vit.ffn_hidden}, width);
      add_linear(shapes, block + "mlp.w3", width, vit.ffn_hidden);
    } else {
      add_linear(shapes, block + "mlp.fc1", vit.ffn_hidden, width);
      add_linear(shapes, block + "mlp.fc2", width, vit.ffn_hidden);
    }
    if (vit.layer_scale) {
      shapes[block + "ls1.gamma"] = {width};
      shapes[block + "ls2.gamma"] = {width};
    }
  }
  add_norm(shapes, root + "norm", width);
}

std::vector<std::string> VitFamily::block_layers(const BackboneConfig& config) const {
  std::vector<std::string> out;
  for (int i = 0; i < config.vit().depth; ++i) {
    for (const char* layer :
         {"attn.qkv", "attn.proj", config.vit().swiglu ? "mlp.w12" : "mlp.fc1", config.vit().swiglu ? "mlp.w3" : "mlp.fc2"})
      out.push_back(fmt::format("{}blocks.{}.{}", kBackboneRoot, i, layer));
  }
  return out;
}

void VitFamily::fill_random(const BackboneConfig& config, const std::string& name, const Shape& shape, const Uniform& uniform,
                            std::vector<float>& values) const {
  const bool is_norm = name.find("norm") != std::string::npos;  // norm1, norm2 and the final norm
  if (name.ends_with("pos_embed")) return fill_positions(values, uniform, config.vit());
  if (name.ends_with("cls_token") || name.ends_with("register_tokens")) return fill(values, uniform, 0.0, 0.8);
  if (name.ends_with(".gamma")) return fill(values, uniform, 0.55, 0.45);
  if (is_norm && name.ends_with(".weight")) return fill(values, uniform, 1.0, 0.2);
  fill_layer(values, uniform, name, shape, gain_of(name));
}

}  // namespace revisit::model

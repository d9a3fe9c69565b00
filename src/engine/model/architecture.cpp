// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The table of known architectures and the inference from shapes.
#include "engine/model/architecture.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string_view>

#include "core/base/fail.h"

namespace revisit::model {
namespace {

struct KnownArch {
  const char* name;
  int width, depth, patch;
  bool swiglu;
  int ffn_hidden;
  bool layer_scale;
};

// Every one has heads of 64; DINOv2's also come with four registers (suffix _reg4).
constexpr std::array<KnownArch, 8> kKnown{{
    {"dinov2_vits14", 384, 12, 14, false, 1536, true},
    {"dinov2_vitb14", 768, 12, 14, false, 3072, true},
    {"dinov2_vitl14", 1024, 24, 14, false, 4096, true},
    {"dinov2_vitg14", 1536, 40, 14, true, 4096, true},
    {"vit_tiny_patch16", 192, 12, 16, false, 768, false},
    {"vit_small_patch16", 384, 12, 16, false, 1536, false},
    {"vit_base_patch16", 768, 12, 16, false, 3072, false},
    {"vit_large_patch16", 1024, 24, 16, false, 4096, false},
}};
constexpr std::string_view kRegisters = "_reg4";

bool has_registers(const KnownArch& arch) { return arch.patch == 14; }

VitConfig config_of(const KnownArch& arch, bool registers) {
  VitConfig vit;
  vit.arch = std::string(arch.name) + (registers ? std::string(kRegisters) : "");
  vit.width = arch.width;
  vit.depth = arch.depth;
  vit.heads = arch.width / 64;
  vit.patch = arch.patch;
  vit.registers = registers ? 4 : 0;
  vit.swiglu = arch.swiglu;
  vit.ffn_hidden = arch.ffn_hidden;
  vit.layer_scale = arch.layer_scale;
  return vit;
}

/// Reads numbers off shapes.
class Reader {
 public:
  Reader(const Shapes& shapes, const std::string& name) : shapes_(shapes), name_(name) {}

  /// Dimension `axis` (negative: from the end) of the first of `names` that is there.
  std::optional<int> dim(std::initializer_list<std::string> names, int axis) const {
    for (const auto& name : names) {
      const auto found = shapes_.find(name);
      if (found == shapes_.end()) continue;
      const auto& shape = found->second;
      const int rank = static_cast<int>(shape.size());
      const int index = axis < 0 ? rank + axis : axis;
      if (index < 0 || index >= rank) continue;
      const std::int64_t value = shape[static_cast<std::size_t>(index)];
      if (value < 0 || value > 1'000'000) {
        fail(ErrorCode::kBadModel, "'{}': a dimension of {} in tensor '{}' is absurd", name_, value, name);
      }
      return static_cast<int>(value);
    }
    return std::nullopt;
  }

  /// Outputs of a layer: rows of its weight, or length of its bias.
  int outputs(const std::string& layer, int otherwise) const {
    return dim({layer + ".weight", layer + ".bias"}, 0).value_or(otherwise);
  }
  bool has(const std::string& name) const { return shapes_.contains(name); }
  bool any_starts_with(const std::string& prefix) const {
    const auto found = shapes_.lower_bound(prefix);
    return found != shapes_.end() && found->first.starts_with(prefix);
  }
  bool any_ends_with(std::string_view suffix) const {
    return std::ranges::any_of(shapes_, [&](const auto& entry) { return entry.first.ends_with(suffix); });
  }

  /// One more than the highest index of "backbone.model.blocks.<i>.".
  int depth() const {
    constexpr std::string_view kBlocks = "backbone.model.blocks.";
    int depth = 0;
    for (auto it = shapes_.lower_bound(std::string(kBlocks)); it != shapes_.end() && it->first.starts_with(kBlocks); ++it) {
      int index = 0;
      std::from_chars(it->first.data() + kBlocks.size(), it->first.data() + it->first.size(), index);
      depth = std::max(depth, index + 1);
    }
    return std::max(depth, 1);
  }

 private:
  const Shapes& shapes_;
  const std::string& name_;
};

int infer_heads(int width, std::optional<int> given, const std::string& name) {
  if (given && (*given < 1 || width % *given != 0)) {
    fail(ErrorCode::kUsage, "'{}': {} heads do not divide its width of {}", name, *given, width);
  }
  const int heads = given.value_or(std::max(1, width / 64));
  if (width % heads != 0) {
    fail_with_hint(ErrorCode::kBadModel, "say how many heads the network has: --heads H",
                   "'{}': its width of {} does not split into {} heads of about 64", name, width, heads);
  }
  return heads;
}

/// Rows and columns of a table for `positions` tokens, the first of which is CLS.
Size infer_grid(int positions, int patch, std::optional<Size> size, const std::string& name) {
  const int cells = positions - 1;
  const int side = static_cast<int>(std::lround(std::sqrt(std::max(cells, 0))));
  if (side > 0 && side * side == cells) return {side, side};
  // No square: only the size the network was made for can tell rows from columns.
  if (size && patch > 0) {
    const Size grid{size->height / patch, size->width / patch};
    if (std::int64_t{grid.height} * grid.width == cells) return grid;
  }
  fail_with_hint(ErrorCode::kBadModel, "give the size the network was made for: --size HxW",
                 "'{}': its position table has {} rows, which is not one for CLS and a square grid", name, positions);
}

VitConfig infer_vit(const Reader& read, std::optional<int> heads, std::optional<Size> size, const std::string& name) {
  const std::string root = "backbone.model.";
  VitConfig vit;
  vit.width = read.dim({root + "patch_embed.proj.weight", root + "patch_embed.proj.bias"}, 0)
                  .value_or(read.dim({root + "cls_token", root + "pos_embed", root + "norm.weight", root + "norm.bias",
                                      root + "blocks.0.norm1.weight"},
                                     -1)
                                .value_or(1));
  vit.heads = infer_heads(vit.width, heads, name);
  vit.depth = read.depth();
  vit.patch = read.dim({root + "patch_embed.proj.weight"}, 3).value_or(14);
  vit.registers = read.has(root + "register_tokens") ? read.dim({root + "register_tokens"}, 1).value_or(0) : 0;
  vit.swiglu = read.any_ends_with(".mlp.w12.weight") || read.any_ends_with(".mlp.w3.weight");
  const std::string mlp = root + "blocks.0.mlp.";
  vit.ffn_hidden = vit.swiglu ? read.dim({mlp + "w3.weight"}, 1).value_or(read.outputs(mlp + "w12", 8 * vit.width) / 2)
                              : read.dim({mlp + "fc1.weight", mlp + "fc1.bias"}, 0)
                                    .value_or(read.dim({mlp + "fc2.weight"}, 1).value_or(4 * vit.width));
  vit.layer_scale = read.any_ends_with(".ls1.gamma") || read.any_ends_with(".ls2.gamma");
  const auto positions = read.dim({root + "pos_embed"}, 1);
  const Size grid = positions ? infer_grid(*positions, vit.patch, size, name) : Size{37, 37};
  vit.pos_rows = grid.height;
  vit.pos_cols = grid.width;
  vit.arch = arch_name_of(vit);
  return vit;
}

HeadConfig infer_head(const Reader& read, const std::string& name) {
  const std::string root = "aggregator.";
  HeadConfig head;
  if (!read.any_starts_with(root)) return head;
  const bool weiad = read.has(root + "theta0") || read.has(root + "thetaD");
  head.kind = weiad ? HeadKind::kWeiad : HeadKind::kSalad;
  head.hidden = read.outputs(root + "score.0", read.outputs(root + "cluster_features.0", 512));
  head.clusters = read.outputs(root + "score.3", 64);
  head.cluster_dim = read.outputs(root + "cluster_features.3", 128);
  head.token_dim = read.outputs(root + "token_features.2", 256);
  if (weiad) {
    const int tiers = read.dim({root + "thetaD"}, 0).value_or(3) + 1;
    if (tiers > head.clusters) {
      fail(ErrorCode::kBadModel, "'{}': aggregator.thetaD makes {} tiers, more than its {} clusters", name, tiers, head.clusters);
    }
    head.tiers = default_tiers(head.clusters, tiers);
  }
  return head;
}

}  // namespace

std::optional<VitConfig> known_arch(const std::string& name) {
  for (const auto& arch : kKnown) {
    if (name == arch.name) return config_of(arch, false);
    if (has_registers(arch) && name == std::string(arch.name) + std::string(kRegisters)) return config_of(arch, true);
  }
  return std::nullopt;
}

std::vector<std::string> known_arch_names() {
  std::vector<std::string> names;
  for (const auto& arch : kKnown) {
    names.emplace_back(arch.name);
    if (has_registers(arch)) names.push_back(std::string(arch.name) + std::string(kRegisters));
  }
  return names;
}

std::string arch_name_of(const VitConfig& vit) {
  for (const auto& name : known_arch_names()) {
    const VitConfig known = *known_arch(name);
    if (vit.width == known.width && vit.depth == known.depth && vit.heads == known.heads && vit.patch == known.patch &&
        vit.registers == known.registers && vit.swiglu == known.swiglu && vit.ffn_hidden == known.ffn_hidden &&
        vit.layer_scale == known.layer_scale) {
      return name;
    }
  }
  return "vit";
}

Config infer_config(const Shapes& shapes, std::optional<int> heads, std::optional<Size> size, const std::string& name) {
  const Reader read(shapes, name);
  Config config;
  config.vit = infer_vit(read, heads, size, name);
  config.head = infer_head(read, name);
  if (read.any_starts_with("weitop.")) {
    config.own = weitop_settings();
    config.weitop_hidden = read.outputs("weitop.0", 256);
  }
  return config;
}

std::vector<int> default_tiers(int clusters, int tiers) {
  const std::vector<int> shares =
      tiers == 4 ? std::vector<int>{24, 20, 16, 4} : std::vector<int>(static_cast<std::size_t>(tiers), 1);
  const int total = std::accumulate(shares.begin(), shares.end(), 0);
  // By share, but at least one each; what rounding leaves over goes to the best tiers.
  std::vector<int> sizes;
  for (const int share : shares) sizes.push_back(std::max(1, clusters * share / total));
  int sum = std::accumulate(sizes.begin(), sizes.end(), 0);
  for (std::size_t i = 0; sum < clusters; i = (i + 1) % sizes.size(), ++sum) ++sizes[i];
  while (sum > clusters) {  // many tiers for few clusters: the largest gives
    --*std::ranges::max_element(sizes);
    --sum;
  }
  return sizes;
}

}  // namespace revisit::model

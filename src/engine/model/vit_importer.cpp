// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// DINOv2 and timm: the network from its shapes, and the defaults of its origin.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/fail.h"
#include "engine/model/backbone_importer.h"
#include "engine/model/config.h"
#include "engine/model/vit_family.h"
#include "engine/model/vit_names.h"
#include "revisit/model.h"

namespace revisit::model {
namespace {

class VitImporter final : public BackboneImporter {
 public:
  const char* readable() const override { return "DINOv2 (torch hub and Hugging Face), timm ViT"; }
  std::span<const Naming* const> namings() const override {
    static const std::array<const Naming*, 2> all{&hub_naming(), &hugging_face_naming()};
    return all;
  }
  BackboneConfig infer(const ShapeReader& read, std::optional<int> heads, std::optional<Size> size) const override;
  void complete(Config& config, const KeyMap& keys, const ImportOptions& options) const override;
  std::string origin(const KeyMap& keys, const BackboneConfig& config) const override;
  std::vector<std::string> arch_names() const override { return known_arch_names(); }
  std::optional<BackboneConfig> known(const std::string& arch, const BackboneConfig& like) const override;
  std::string sizes(const BackboneConfig& config) const override;
  std::string settings_beside_shapes(const BackboneConfig& config) const override;
};

int infer_heads(int width, std::optional<int> given, const std::string& name) {
  if (given && (*given < 1 || width % *given != 0)) {
    fail(ErrorCode::kUsage, "'{}': {} heads do not divide its width of {}", name, *given, width);
  }
  const int heads = given.value_or(std::max(1, width / 64));
  if (width % heads != 0) {
    fail_with_hint(ErrorCode::kBadModel, "say how many `heads` the network has",
                   "'{}': its width of {} cannot be split into {} heads of about 64", name, width, heads);
  }
  return heads;
}

/// Rows and columns of a table for `positions` tokens, the first of which is CLS.
Size infer_grid(int positions, int patch, std::optional<Size> size, const std::string& name) {
  const int cells = positions - 1;
  const int side = static_cast<int>(std::lround(std::sqrt(std::max(cells, 0))));
  if (side > 0 && side * side == cells) return {side, side};
  // Not square: only the input size of the network can tell rows from columns.
  if (size && patch > 0) {
    const Size grid{size->height / patch, size->width / patch};
    if (std::int64_t{grid.height} * grid.width == cells) return grid;
  }
  fail_with_hint(ErrorCode::kBadModel, "give the `size` the network was made for",
                 "'{}': its position table has {} rows, which is not one for CLS plus a square grid", name, positions);
}

/// timm shares torch hub's names. DINOv2 always has LayerScale; timm's plain ViTs have none, and those that have it
/// (DeiT III) use other patches than 14 and carry no mask token, which DINOv2 files do.
bool is_timm(const KeyMap& keys, const VitConfig& vit) {
  const bool has_mask_token = std::ranges::any_of(keys.ignored, [](const auto& name) { return name.ends_with("mask_token"); });
  return keys.naming == &hub_naming() && (!vit.layer_scale || (vit.patch != 14 && !has_mask_token));
}

PosRule chosen_pos_rule(const std::optional<std::string>& word, bool timm, bool registers) {
  const std::string rule = word.value_or(timm ? "timm" : "hub");
  if (rule == "hub") return registers ? PosRule::kHubAntialias : PosRule::kHub;
  if (rule == "hf") return PosRule::kHf;
  if (rule == "timm") return PosRule::kTimm;
  fail(ErrorCode::kUsage, "position rule '{}' is none of hub, hf, timm", rule);
}

BackboneConfig VitImporter::infer(const ShapeReader& read, std::optional<int> heads, std::optional<Size> size) const {
  const std::string root = kBackboneRoot;
  VitConfig vit;
  vit.width = read.dim({root + "patch_embed.proj.weight", root + "patch_embed.proj.bias"}, 0)
                  .value_or(read.dim({root + "cls_token", root + "pos_embed", root + "norm.weight", root + "norm.bias",
                                      root + "blocks.0.norm1.weight"},
                                     -1)
                                .value_or(1));
  vit.heads = infer_heads(vit.width, heads, read.file());
  vit.depth = read.count_of(root + "blocks.");
  vit.patch = read.dim({root + "patch_embed.proj.weight"}, 3).value_or(14);
  vit.registers = read.has(root + "register_tokens") ? read.dim({root + "register_tokens"}, 1).value_or(0) : 0;
  vit.swiglu = read.any_ends_with(".mlp.w12.weight") || read.any_ends_with(".mlp.w3.weight");
  const std::string mlp = root + "blocks.0.mlp.";
  vit.ffn_hidden = vit.swiglu ? read.dim({mlp + "w3.weight"}, 1).value_or(read.outputs(mlp + "w12", 8 * vit.width) / 2)
                              : read.dim({mlp + "fc1.weight", mlp + "fc1.bias"}, 0)
                                    .value_or(read.dim({mlp + "fc2.weight"}, 1).value_or(4 * vit.width));
  vit.layer_scale = read.any_ends_with(".ls1.gamma") || read.any_ends_with(".ls2.gamma");
  const auto positions = read.dim({root + "pos_embed"}, 1);
  const Size grid = positions ? infer_grid(*positions, vit.patch, size, read.file()) : Size{37, 37};
  vit.pos_rows = grid.height;
  vit.pos_cols = grid.width;
  vit.arch = arch_name_of(vit);
  return vit;
}

void VitImporter::complete(Config& config, const KeyMap& keys, const ImportOptions& options) const {
  VitConfig& vit = config.backbone.vit();
  const bool timm = config.head.is_none() && is_timm(keys, vit);
  vit.pos_rule = chosen_pos_rule(options.pos_rule, timm, vit.registers > 0);
  config.input.size = round_to_stride(timm ? Size{224, 224} : Size{322, 322}, vit.patch);
  if (timm) {
    config.input.mean = config.input.std = {0.5F, 0.5F, 0.5F};
    config.input.resize = ResizeFilter::kBicubic;
  }
}

std::string VitImporter::origin(const KeyMap& keys, const BackboneConfig& config) const {
  if (keys.naming == &hugging_face_naming()) return "DINOv2 (Hugging Face)";
  return is_timm(keys, config.vit()) ? "timm ViT" : "DINOv2 (torch hub)";
}

std::optional<BackboneConfig> VitImporter::known(const std::string& arch, const BackboneConfig& like) const {
  auto vit = known_arch(arch);
  if (!vit) return std::nullopt;
  vit->pos_rows = like.vit().pos_rows;
  vit->pos_cols = like.vit().pos_cols;
  return *vit;
}

std::string VitImporter::sizes(const BackboneConfig& config) const {
  return fmt::format("width {}, depth {}, patch {}", config.vit().width, config.vit().depth, config.vit().patch);
}

std::string VitImporter::settings_beside_shapes(const BackboneConfig& config) const {
  return fmt::format("{} heads", config.vit().heads);
}

}  // namespace

const BackboneImporter& VitFamily::importer() const {
  static const VitImporter importer;
  return importer;
}

}  // namespace revisit::model

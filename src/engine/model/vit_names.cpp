// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Names by tables: of tensors at the top, and of layers below a block.
#include "engine/model/vit_names.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <optional>

#include "engine/model/backbone_family.h"

namespace revisit::model {
namespace {

// Wrappers people save backbones in. "pretrained." is Depth Anything's.
constexpr std::array<std::string_view, 11> kHubPrefixes{
    "",       "module.",         "backbone.", "module.backbone.", "backbone.model.",   "module.backbone.model.",
    "model.", "model.backbone.", "encoder.",  "pretrained.",      "module.pretrained."};
constexpr std::array<std::string_view, 5> kHfPrefixes{"", "dinov2.", "dinov2_with_registers.", "module.", "backbone."};

constexpr std::array<Rename, 9> kHubTop{{
    {"cls_token", "cls_token"},
    {"pos_embed", "pos_embed"},
    {"register_tokens", "register_tokens"},
    {"reg_token", "register_tokens"},  // timm's name; its position tables differ too, which import then reports
    {"patch_embed.proj.weight", "patch_embed.proj.weight"},
    {"patch_embed.proj.bias", "patch_embed.proj.bias"},
    {"norm.weight", "norm.weight"},
    {"norm.bias", "norm.bias"},
    {"mask_token", ""},
}};
constexpr std::array<Rename, 8> kHfTop{{
    {"embeddings.cls_token", "cls_token"},
    {"embeddings.position_embeddings", "pos_embed"},
    {"embeddings.register_tokens", "register_tokens"},
    {"embeddings.patch_embeddings.projection.weight", "patch_embed.proj.weight"},
    {"embeddings.patch_embeddings.projection.bias", "patch_embed.proj.bias"},
    {"layernorm.weight", "norm.weight"},
    {"layernorm.bias", "norm.bias"},
    {"embeddings.mask_token", ""},
}};

// Below a block: layers with .weight and .bias, and LayerScale.
constexpr std::array<Rename, 10> kHubBlock{{
    {"norm1", "norm1"},
    {"attn.qkv", "attn.qkv"},
    {"attn.proj", "attn.proj"},
    {"norm2", "norm2"},
    {"mlp.fc1", "mlp.fc1"},
    {"mlp.fc2", "mlp.fc2"},
    {"mlp.w12", "mlp.w12"},
    {"mlp.w3", "mlp.w3"},
    {"ls1.gamma", "ls1.gamma"},
    {"ls2.gamma", "ls2.gamma"},
}};
constexpr std::array<Rename, 12> kHfBlock{{
    {"norm1", "norm1"},
    {"attention.attention.query", "attn.qkv", 0},
    {"attention.attention.key", "attn.qkv", 1},
    {"attention.attention.value", "attn.qkv", 2},
    {"attention.output.dense", "attn.proj"},
    {"norm2", "norm2"},
    {"mlp.fc1", "mlp.fc1"},
    {"mlp.fc2", "mlp.fc2"},
    {"mlp.weights_in", "mlp.w12"},
    {"mlp.weights_out", "mlp.w3"},
    {"layer_scale1.lambda1", "ls1.gamma"},
    {"layer_scale2.lambda1", "ls2.gamma"},
}};

/// Takes "12." off the front of `rest`. More than three digits are not a block index.
std::optional<int> take_index(std::string_view& rest) {
  std::size_t digits = 0;
  int value = 0;
  while (digits < rest.size() && std::isdigit(static_cast<unsigned char>(rest[digits])) != 0) {
    value = value * 10 + (rest[digits] - '0');
    if (++digits > 3) return std::nullopt;
  }
  if (digits == 0 || digits == rest.size() || rest[digits] != '.') return std::nullopt;
  rest.remove_prefix(digits + 1);
  return value;
}

class VitNaming final : public Naming {
 public:
  struct Words {
    std::span<const std::string_view> prefixes;
    std::span<const Rename> top, block;
    std::string_view blocks;     // before a block's index
    std::string_view embedding;  // before everything of the patch embedding
    bool chunks = false;         // of blocks may stand before the index
  };
  explicit VitNaming(const Words& words) : words_(words) {}

  std::span<const std::string_view> prefixes() const override { return words_.prefixes; }
  Place place(std::string_view rest) const override;
  std::vector<std::string> source_names(std::string_view ours) const override;

 private:
  Place place_in_block(std::string_view rest) const;

  Words words_;
};

Place VitNaming::place_in_block(std::string_view rest) const {
  auto index = take_index(rest);
  if (!index) return {Place::Kind::kUnexpected};
  // DINOv2's training checkpoints say blocks.<chunk>.<i>. with i counted over all chunks.
  if (words_.chunks) {
    if (const auto inner = take_index(rest)) index = inner;
  }
  for (const auto& [theirs, ours, part] : words_.block) {
    if (!rest.starts_with(theirs)) continue;
    const std::string_view end = rest.substr(theirs.size());
    const bool scale = ours.ends_with(".gamma");
    if (scale ? end.empty() : end == ".weight" || end == ".bias") {
      return {Place::Kind::kPlaced, fmt::format("{}blocks.{}.{}{}", kBackboneRoot, *index, ours, end), part};
    }
  }
  return {Place::Kind::kUnexpected};
}

Place VitNaming::place(std::string_view rest) const {
  for (const auto& [theirs, ours, part] : words_.top) {
    if (rest != theirs) continue;
    if (ours.empty()) return {Place::Kind::kIgnored};
    return {Place::Kind::kPlaced, kBackboneRoot + std::string(ours), part};
  }
  if (rest.starts_with(words_.blocks)) return place_in_block(rest.substr(words_.blocks.size()));
  // A norm in the patch embedding or before the blocks is part of the forward pass we do not have.
  if (rest.starts_with(words_.embedding) || rest.starts_with("norm_pre.")) return {Place::Kind::kUnexpected};
  return {};
}

std::vector<std::string> VitNaming::source_names(std::string_view ours) const {
  for (const auto& rename : words_.top) {
    if (ours == rename.ours) return {std::string(rename.theirs)};
  }
  constexpr std::string_view kBlocks = "blocks.";
  if (!ours.starts_with(kBlocks)) return {};
  ours.remove_prefix(kBlocks.size());
  const auto index = take_index(ours);
  std::vector<std::string> names;
  for (const auto& rename : words_.block) {
    if (!ours.starts_with(rename.ours) || !index) continue;
    names.push_back(fmt::format("{}{}.{}{}", words_.blocks, *index, rename.theirs, ours.substr(rename.ours.size())));
  }
  return names;
}

}  // namespace

const Naming& hub_naming() {
  static const VitNaming naming({kHubPrefixes, kHubTop, kHubBlock, "blocks.", "patch_embed.", true});
  return naming;
}

const Naming& hugging_face_naming() {
  static const VitNaming naming({kHfPrefixes, kHfTop, kHfBlock, "encoder.layer.", "embeddings."});
  return naming;
}

}  // namespace revisit::model

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Foreign tensor names -> names of our model file, by tables.
#include "engine/model/key_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>
#include <string_view>

namespace revisit::model {
namespace {

constexpr std::string_view kOurBackbone = "backbone.model.";

// Wrappers people save backbones in. "pretrained." is Depth Anything's.
constexpr std::array<std::string_view, 11> kHubPrefixes{
    "",       "module.",         "backbone.", "module.backbone.", "backbone.model.",   "module.backbone.model.",
    "model.", "model.backbone.", "encoder.",  "pretrained.",      "module.pretrained."};
constexpr std::array<std::string_view, 5> kHfPrefixes{"", "dinov2.", "dinov2_with_registers.", "module.", "backbone."};

struct Rename {
  std::string_view theirs;
  std::string_view ours;
  int part = -1;  // of a fused tensor: 0 query, 1 key, 2 value
};

constexpr std::array<Rename, 9> kHubTop{{
    {"cls_token", "cls_token"},
    {"pos_embed", "pos_embed"},
    {"register_tokens", "register_tokens"},
    {"reg_token", "register_tokens"},  // timm's word; its position tables differ too, which import then reports
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

constexpr std::array<std::string_view, 15> kAggregator{"token_features.0.weight",
                                                       "token_features.0.bias",
                                                       "token_features.2.weight",
                                                       "token_features.2.bias",
                                                       "cluster_features.0.weight",
                                                       "cluster_features.0.bias",
                                                       "cluster_features.3.weight",
                                                       "cluster_features.3.bias",
                                                       "score.0.weight",
                                                       "score.0.bias",
                                                       "score.3.weight",
                                                       "score.3.bias",
                                                       "dust_bin",
                                                       "theta0",
                                                       "thetaD"};
constexpr std::array<std::string_view, 4> kWeitop{"0.weight", "0.bias", "2.weight", "2.bias"};

std::string_view blocks_word(Naming naming) { return naming == Naming::kHub ? "blocks." : "encoder.layer."; }

std::span<const Rename> top_table(Naming naming) {
  return naming == Naming::kHub ? std::span<const Rename>(kHubTop) : std::span<const Rename>(kHfTop);
}
std::span<const Rename> block_table(Naming naming) {
  return naming == Naming::kHub ? std::span<const Rename>(kHubBlock) : std::span<const Rename>(kHfBlock);
}

/// Takes "12." off the front of `rest`. More than three digits are no block index.
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

struct Place {
  enum class Kind { kUnknown, kPlaced, kIgnored, kUnexpected } kind = Kind::kUnknown;
  std::string ours;
  int part = -1;
};

Place place_in_block(std::string_view rest, Naming naming) {
  auto index = take_index(rest);
  if (!index) return {Place::Kind::kUnexpected, {}, -1};
  // DINOv2's training checkpoints say blocks.<chunk>.<i>. with i counted over all chunks.
  if (naming == Naming::kHub) {
    if (const auto inner = take_index(rest)) index = inner;
  }
  for (const auto& [theirs, ours, part] : block_table(naming)) {
    if (!rest.starts_with(theirs)) continue;
    const std::string_view end = rest.substr(theirs.size());
    const bool scale = ours.ends_with(".gamma");
    if (scale ? end.empty() : end == ".weight" || end == ".bias") {
      return {Place::Kind::kPlaced, fmt::format("{}blocks.{}.{}{}", kOurBackbone, *index, ours, end), part};
    }
  }
  return {Place::Kind::kUnexpected, {}, -1};
}

/// `rest` is a name without its prefix.
Place place_backbone(std::string_view rest, Naming naming) {
  for (const auto& [theirs, ours, part] : top_table(naming)) {
    if (rest != theirs) continue;
    if (ours.empty()) return {Place::Kind::kIgnored, {}, -1};
    return {Place::Kind::kPlaced, std::string(kOurBackbone) + std::string(ours), part};
  }
  const std::string_view blocks = blocks_word(naming);
  if (rest.starts_with(blocks)) return place_in_block(rest.substr(blocks.size()), naming);
  // A norm in the patch embedding or before the blocks is part of the forward pass we do not have.
  const std::string_view embedding = naming == Naming::kHub ? "patch_embed." : "embeddings.";
  if (rest.starts_with(embedding) || rest.starts_with("norm_pre.")) return {Place::Kind::kUnexpected, {}, -1};
  return {};
}

/// Names of the head: "aggregator.*" and "weitop.*", perhaps behind "module.".
Place place_head(std::string_view name, std::string& wrapper) {
  constexpr std::string_view kModule = "module.";
  const bool wrapped = name.starts_with(kModule);
  if (wrapped) name.remove_prefix(kModule.size());
  const auto in = [&](std::string_view root, const auto& known) -> Place {
    if (!name.starts_with(root)) return {};
    if (wrapped) wrapper = kModule;
    const bool is_known = std::ranges::find(known, name.substr(root.size())) != known.end();
    return {is_known ? Place::Kind::kPlaced : Place::Kind::kUnexpected, std::string(name), -1};
  };
  const Place aggregator = in("aggregator.", kAggregator);
  return aggregator.kind != Place::Kind::kUnknown ? aggregator : in("weitop.", kWeitop);
}

void choose_prefix(const std::vector<std::string>& names, KeyMap& map) {
  std::ptrdiff_t best = 0;
  const auto consider = [&](std::string_view prefix, Naming naming) {
    const auto placed = std::ranges::count_if(names, [&](const std::string& name) {
      return name.starts_with(prefix) &&
             place_backbone(std::string_view(name).substr(prefix.size()), naming).kind == Place::Kind::kPlaced;
    });
    if (placed > best) {
      best = placed;
      map.backbone_prefix = prefix;
      map.naming = naming;
    }
  };
  for (const auto prefix : kHubPrefixes) consider(prefix, Naming::kHub);
  for (const auto prefix : kHfPrefixes) consider(prefix, Naming::kHuggingFace);
}

}  // namespace

bool KeyMap::has_backbone() const {
  const auto found = placed.lower_bound(std::string(kOurBackbone));
  return found != placed.end() && found->first.starts_with(kOurBackbone);
}

std::vector<std::string> KeyMap::source_names(const std::string& ours) const {
  if (!ours.starts_with(kOurBackbone)) return {wrapper + ours};
  std::string_view rest = std::string_view(ours).substr(kOurBackbone.size());
  for (const auto& rename : top_table(naming)) {
    if (rest == rename.ours) return {backbone_prefix + std::string(rename.theirs)};
  }
  constexpr std::string_view kBlocks = "blocks.";
  if (!rest.starts_with(kBlocks)) return {ours};
  rest.remove_prefix(kBlocks.size());
  const auto index = take_index(rest);
  std::vector<std::string> names;
  for (const auto& rename : block_table(naming)) {
    if (!rest.starts_with(rename.ours) || !index) continue;
    names.push_back(
        fmt::format("{}{}{}.{}{}", backbone_prefix, blocks_word(naming), *index, rename.theirs, rest.substr(rename.ours.size())));
  }
  return names;
}

KeyMap map_keys(const std::vector<std::string>& names) {
  KeyMap map;
  choose_prefix(names, map);
  for (const auto& name : names) {
    Place place = place_head(name, map.wrapper);
    if (place.kind == Place::Kind::kUnknown && name.starts_with(map.backbone_prefix)) {
      place = place_backbone(std::string_view(name).substr(map.backbone_prefix.size()), map.naming);
    }
    if (place.kind == Place::Kind::kPlaced) {
      auto& sources = map.placed[place.ours];
      sources.resize(place.part < 0 ? 1 : 3);
      auto& slot = sources[static_cast<std::size_t>(std::max(place.part, 0))];
      if (slot.empty()) {
        slot = name;
        continue;
      }
      map.unexpected.push_back(name);  // a second tensor for the same place
    } else if (place.kind == Place::Kind::kUnexpected) {
      map.unexpected.push_back(name);
    } else {
      map.has_mask_token = map.has_mask_token || name.ends_with("mask_token");
      map.ignored.push_back(name);
    }
  }
  return map;
}

}  // namespace revisit::model

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The tensors of a network, by name and shape.
#include <fmt/format.h>

#include "engine/model/model_file.h"

namespace revisit::model {
namespace {

using Shapes = std::map<std::string, std::vector<std::int64_t>>;

/// weight [out, in] (and trailing 1x1 for SALAD's convolutions) with bias [out].
void linear(Shapes& shapes, const std::string& name, std::int64_t out, std::int64_t in, bool conv = false) {
  shapes[name + ".weight"] = conv ? std::vector<std::int64_t>{out, in, 1, 1} : std::vector<std::int64_t>{out, in};
  shapes[name + ".bias"] = {out};
}

void layer_norm(Shapes& shapes, const std::string& name, std::int64_t width) {
  shapes[name + ".weight"] = {width};
  shapes[name + ".bias"] = {width};
}

void backbone(Shapes& shapes, const VitConfig& vit) {
  const std::string root = "backbone.model.";
  const std::int64_t width = vit.width;
  shapes[root + "cls_token"] = {1, 1, width};
  shapes[root + "pos_embed"] = {1, 1 + std::int64_t{vit.pos_rows} * vit.pos_cols, width};
  if (vit.registers > 0) shapes[root + "register_tokens"] = {1, vit.registers, width};
  shapes[root + "patch_embed.proj.weight"] = {width, 3, vit.patch, vit.patch};
  shapes[root + "patch_embed.proj.bias"] = {width};
  for (int i = 0; i < vit.depth; ++i) {
    const std::string block = fmt::format("{}blocks.{}.", root, i);
    layer_norm(shapes, block + "norm1", width);
    linear(shapes, block + "attn.qkv", 3 * width, width);
    linear(shapes, block + "attn.proj", width, width);
    layer_norm(shapes, block + "norm2", width);
    if (vit.swiglu) {
      linear(shapes, block + "mlp.w12", 2 * std::int64_t{vit.ffn_hidden}, width);
      linear(shapes, block + "mlp.w3", width, vit.ffn_hidden);
    } else {
      linear(shapes, block + "mlp.fc1", vit.ffn_hidden, width);
      linear(shapes, block + "mlp.fc2", width, vit.ffn_hidden);
    }
    if (vit.layer_scale) {
      shapes[block + "ls1.gamma"] = {width};
      shapes[block + "ls2.gamma"] = {width};
    }
  }
  layer_norm(shapes, root + "norm", width);
}

void aggregator(Shapes& shapes, const HeadConfig& head, std::int64_t width) {
  const std::string root = "aggregator.";
  linear(shapes, root + "token_features.0", head.hidden, width);
  linear(shapes, root + "token_features.2", head.token_dim, head.hidden);
  linear(shapes, root + "cluster_features.0", head.hidden, width, true);
  linear(shapes, root + "cluster_features.3", head.cluster_dim, head.hidden, true);
  linear(shapes, root + "score.0", head.hidden, width, true);
  linear(shapes, root + "score.3", head.clusters, head.hidden, true);
  shapes[root + "dust_bin"] = {};
  if (head.kind == HeadKind::kWeiad) {
    shapes[root + "theta0"] = {};
    // A single tier has no steps between tiers.
    if (head.tiers.size() > 1) shapes[root + "thetaD"] = {static_cast<std::int64_t>(head.tiers.size()) - 1};
  }
}

}  // namespace

std::map<std::string, std::vector<std::int64_t>> required_tensors(const Config& config) {
  Shapes shapes;
  backbone(shapes, config.vit);
  if (config.head.kind == HeadKind::kVlad) {
    shapes["aggregator.centres"] = {config.head.clusters, config.vit.width};
  } else if (config.head.kind != HeadKind::kNone) {
    aggregator(shapes, config.head, config.vit.width);
  }
  if (config.has_weitop()) {
    linear(shapes, "weitop.0", config.weitop_hidden, config.vit.width);
    linear(shapes, "weitop.2", 1, config.weitop_hidden);
  }
  return shapes;
}

}  // namespace revisit::model

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The one place that knows how others name the tensors of a vision transformer and of SALAD.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace revisit::model {

enum class Naming {
  kHub,          ///< torch-hub DINOv2 (blocks.0.attn.qkv.weight), which timm shares
  kHuggingFace,  ///< Dinov2Model (encoder.layer.0.attention.attention.query.weight)
};

/// Every source name lands in exactly one of: placed, ignored, unexpected.
struct KeyMap {
  Naming naming = Naming::kHub;
  std::string backbone_prefix;  ///< what stood before backbone names, such as "module.backbone."
  std::string wrapper;          ///< what stood before "aggregator." and "weitop.": "" or "module."
  /// Our name -> source names; three (query, key, value, stacked in this order; "" where absent) for a fused tensor.
  std::map<std::string, std::vector<std::string>> placed;
  std::vector<std::string> ignored;     ///< classifiers, mask tokens, losses: not needed to describe a photo
  std::vector<std::string> unexpected;  ///< inside blocks, patch embedding or aggregator: leaving them out would change results
  bool has_mask_token = false;

  bool has_backbone() const;
  /// How the source would name one of our tensors (three names for a fused one).
  std::vector<std::string> source_names(const std::string& ours) const;
};

/// Finds the naming and prefix that explain most of `names` and places every name.
KeyMap map_keys(const std::vector<std::string>& names);

}  // namespace revisit::model

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// For tests only: small random models of every kind, and pictures to feed them.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <vector>

#include "core/base/random.h"
#include "engine/model/model_file.h"

namespace revisit::train::testing {

/// Width 48, depth 4, patch 14, a position grid of 5 x 5, WeiAD with 12 clusters in four tiers, WeiToP after one block.
inline model::Config small_config() {
  model::Config config = model::named_config("demo");
  config.vit().width = 48;
  config.vit().heads = 3;
  config.vit().ffn_hidden = 96;
  config.vit().pos_rows = config.vit().pos_cols = 5;
  config.input.size = {70, 70};
  config.head.transport().clusters = 12;
  config.head.transport().cluster_dim = 10;
  config.head.transport().token_dim = 14;
  config.head.transport().hidden = 24;
  config.head.transport().tiers = {5, 4, 2, 1};
  config.weitop_hidden = 16;
  return config;
}

/// (images, 3, height, width), the same for the same seed on every machine.
inline torch::Tensor pictures(int images, Size size, std::uint64_t seed) {
  SplitMix random(seed);
  std::vector<float> values(static_cast<std::size_t>(images) * 3 * static_cast<std::size_t>(size.height) *
                            static_cast<std::size_t>(size.width));
  for (float& value : values) value = static_cast<float>(4 * random.uniform() - 2);
  return torch::tensor(values).reshape({images, 3, size.height, size.width});
}

}  // namespace revisit::train::testing

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Architectures: their names, and how one is read off the shapes of its tensors.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/config.h"

namespace revisit::model {

/// "dinov2_vits14", "dinov2_vitb14_reg4", "vit_tiny_patch16", ...: a config without position grid and rule. Empty when unknown.
std::optional<VitConfig> known_arch(const std::string& name);
std::vector<std::string> known_arch_names();

/// The known name that fits a config, else "vit".
std::string arch_name_of(const VitConfig& vit);

/// Shapes by the names of our model file.
using Shapes = std::map<std::string, std::vector<std::int64_t>>;

/// What shapes say: width, depth, patch, registers, feed-forward kind and size, position grid, head and pruner.
/// A tensor that is missing is guessed around, so that the caller can list it. `heads` defaults to max(1, width / 64).
/// `size` decides the grid of a position table that is not square. Throws Error kBadModel, or kUsage for heads.
Config infer_config(const Shapes& shapes, std::optional<int> heads, std::optional<Size> size, const std::string& name);

/// WeiAD's 24/20/16/4 of 64 clusters, scaled to any number of clusters; equal shares for other numbers of tiers.
std::vector<int> default_tiers(int clusters, int tiers);

}  // namespace revisit::model

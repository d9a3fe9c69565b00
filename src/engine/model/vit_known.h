// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Vision transformers by name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/model/vit_config.h"

namespace revisit::model {

/// "dinov2_vits14", "dinov2_vitb14_reg4", "vit_tiny_patch16", ...: a config without position grid and rule. Empty when unknown.
std::optional<VitConfig> known_arch(const std::string& name);
std::vector<std::string> known_arch_names();

/// The known name that fits a config, else "vit".
std::string arch_name_of(const VitConfig& vit);

}  // namespace revisit::model

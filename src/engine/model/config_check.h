// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The values a config may hold, so that later code can rely on it and no file can ask for absurd memory.
#pragma once

#include <string>

#include "engine/model/checker.h"
#include "engine/model/config.h"

namespace revisit::model {

/// Throws Error kBadModel naming the key, the value and its range. `name` names the file in error messages.
void check_config(const Config& config, const std::string& name);

/// The part about the network alone, for when its input is not decided yet.
void check_backbone(const BackboneConfig& backbone, const std::string& name);

}  // namespace revisit::model

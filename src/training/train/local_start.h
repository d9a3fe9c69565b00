// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Initial values of a random backbone that suit any picture, so that a short training need not learn them:
// patches enter as frequencies, positions as waves, and attention starts with what is similar and near.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/config.h"

namespace revisit::train {

/// `shape` is that of tensor `name`, a weight or table of the backbone; biases and norms start as in any backbone.
std::vector<float> local_start(const std::string& name, const std::vector<std::int64_t>& shape, const model::VitConfig& vit,
                               std::uint64_t seed);

}  // namespace revisit::train

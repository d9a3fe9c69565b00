// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Initial values of a head that already tells places apart: clusters are the words of a vocabulary of the backbone's own patch
// tokens, features are their whitened principal directions. A random head has to find both before it is useful, and
// a short training on few places finds only those that suit these places.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>

#include "engine/model/config.h"
#include "revisit/lab/train.h"

namespace revisit::train {

/// Rows (n, D) of patch tokens after the final norm, a sample of what the first batches of `config` show to `model`.
torch::Tensor sample_patches(const model::LoadedModel& model, const TrainConfig& config,
                             const std::function<void(std::int64_t done, std::int64_t total)>& progress = {});

/// Sets the MLPs of scores and features; the rest of the head is unchanged. An inner layer holds each direction twice, once per
/// sign, so that its ReLU output is a linear map: hidden / 2 directions, the strongest, or as many as there are.
/// Throws Error kUsage when cluster_dim is more than that.
void start_from_vocabulary(model::LoadedModel& model, const torch::Tensor& patches, std::uint64_t seed);

}  // namespace revisit::train

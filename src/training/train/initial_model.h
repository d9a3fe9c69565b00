// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What training starts from: a backbone, read or random, under a head that knows nothing yet. Needs no torch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "engine/model/config.h"
#include "revisit/lab/train.h"

namespace revisit::train {

/// A file of ours or a foreign checkpoint, with `heads` (0: unknown) and `input` where it cannot tell by itself.
std::shared_ptr<const model::LoadedModel> read_backbone(const std::filesystem::path& path, int heads, Size input);

/// Of a file's model only the backbone is taken; its head and pruner, if any, are left behind. With weitop_only and with
/// head_start "own" all of it stays, and a WeiToP begins where there is none; "own" without weitop leaves it behind. `input` is
/// the size of the training pictures and becomes the model's. The same seed gives the same weights on every machine. Throws Error
/// kUsage for settings that do not fit together, and what reading a checkpoint throws.
model::LoadedModel initial_model(const TrainModel& settings, Size input, std::uint64_t seed);

/// `config` with the seed of what begins at random, [model] start_seed where it is given: runs of other seeds then begin alike.
TrainConfig beginning_of(TrainConfig config);

/// Throws Error kUsage when [loss] random_rho_from or [validation] rhos leave fewer patches than the head can assign.
void check_rhos(const TrainConfig& config, const model::Config& model);

}  // namespace revisit::train

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What training starts from: a backbone, read or random, under an untrained head. Needs no torch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "engine/model/config.h"
#include "revisit/lab/train.h"

namespace revisit::train {

/// A file of ours or a foreign checkpoint, with `heads` (0: unknown) and `input` if it does not tell.
std::shared_ptr<const model::LoadedModel> read_backbone(const std::filesystem::path& path, int heads, Size input);

/// Only the backbone of a file's model is used; its head and pruner, if any, are dropped. With weitop_only and with
/// head_start "own" all of it is kept, and a missing WeiToP is created; "own" without weitop drops it. `input` is
/// the size of the training pictures and becomes the model's. The same seed gives the same weights on every machine. Throws Error
/// kUsage for settings that do not fit together, and what reading a checkpoint throws.
model::LoadedModel initial_model(const TrainModel& settings, Size input, std::uint64_t seed);

/// `config` with the seed of the initial random values, [model] start_seed if given: runs of other seeds then start alike.
TrainConfig beginning_of(TrainConfig config);

/// Throws Error kUsage when [loss] random_rho_from or [validation] rhos leave fewer patches than the head can assign.
void check_rhos(const TrainConfig& config, const model::Config& model);

}  // namespace revisit::train

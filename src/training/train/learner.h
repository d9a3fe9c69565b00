// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One step of learning: batch -> frozen tokens -> forward -> L_MS + gamma L_distill, perhaps + context L_context -> backward ->
// AdamW. Its header knows no torch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/model/config.h"
#include "revisit/lab/train.h"
#include "training/feed/batches.h"
#include "training/train/frozen_store.h"
#include "training/train/schedule.h"

namespace revisit::train {

struct StepResult {
  bool finite = true;                  ///< false: loss or gradient was not, and nothing was changed
  double loss = 0;                     ///< what was minimised
  double place_loss = 0;               ///< multi-similarity
  std::optional<double> distillation;  ///< unset for pruned batches and without WeiToP
  std::optional<double> context;       ///< distance from the model the run started with, if requested
  std::optional<double> stages;        ///< DynamicViT: how far the shares kept are from those wanted, squared
  std::optional<double> kept;          ///< DynamicViT: share of the patches left in the end
  double rho = 1;
  double lr = 0;  ///< of the backbone
  double gradient_norm = 0;
  double b_acc = 0;
  std::vector<double> tier_weights;  ///< WeiAD, after the step
  std::optional<double> ghost;       ///< mean mass of the ghost token per cluster
  std::optional<double> tier_agreement;
  bool overflowed = false;  ///< fp16: the gradient was too large for the loss scale, and nothing was changed
};

/// What a learner needs to continue where another one stopped.
struct LearnerState {
  model::LoadedModel model;
  model::Weights optimiser;
  LossScale loss_scale;
};

class Learner {
 public:
  /// `store` keeps the output of the frozen blocks for numbered pictures; null: they run for every batch. `beginning`: the
  /// model that teaches [loss] context, the one the run started with; null: none. Throws Error kUsage for a device or
  /// precision this LibTorch cannot serve.
  /// Number of pictures in a batch with frozen tokens, computed or already known.
  using Frozen = std::function<void(std::int64_t done, std::int64_t total)>;

  Learner(const TrainConfig& config, const model::LoadedModel& start, FrozenStore* store = nullptr,
          const model::LoadedModel* beginning = nullptr);
  ~Learner();
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  /// Depends on the configuration, the state and the batch alone.
  StepResult learn(const feed::Batch& batch, const Frozen& frozen = {});

  model::LoadedModel model() const;
  LearnerState state() const;
  /// `state.model` must be what this learner was made from. Throws Error kBadModel.
  void restore(const LearnerState& state);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Sets torch's and our own threads. Returns their number; 0 asks for every core.
int use_threads(int threads);

}  // namespace revisit::train

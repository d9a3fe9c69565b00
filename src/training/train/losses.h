// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The losses: multi-similarity loss over mined pairs, the distillation of token importance into WeiToP, and how far a
// pruned picture is from the whole one.
#pragma once

#include <torch/torch.h>

#include <vector>

#include "revisit/lab/train.h"

namespace revisit::train {

/// Pairs worth learning from, as masks over (anchor, other).
struct MinedPairs {
  torch::Tensor positives;  // (B, B) bool
  torch::Tensor negatives;  // (B, B) bool
};

/// similarities (B, B), labels (B) int64.
MinedPairs mine_pairs(const torch::Tensor& similarities, const torch::Tensor& labels, double epsilon);

struct PlaceLoss {
  torch::Tensor value;  // scalar with gradient
  double b_acc = 0;     // 1 - share of samples that are an anchor with a kept positive
};

/// descriptors (B, dim), unit length; labels (B) int64. Mean over all anchors, those without pairs included.
PlaceLoss multi_similarity(const torch::Tensor& descriptors, const torch::Tensor& labels, const TrainLoss& settings);

/// T^2 / N * KL(softmax(importance / T) || softmax(scores / T)) over the N patches, mean over the batch; without 1/N when
/// settings.summed_kl. gamma is not applied here.
torch::Tensor distillation(const torch::Tensor& importance, const torch::Tensor& scores, const TrainLoss& settings);

/// How far a pruned picture is from the whole one: mean squared difference of `tokens` (B, T, D) from
/// `whole_tokens`, those of the same patches in the whole picture, as a share of the variance of the latter, plus 1 - the cosine
/// of the descriptors (B, dim).
torch::Tensor context_loss(const torch::Tensor& tokens, const torch::Tensor& whole_tokens, const torch::Tensor& descriptor,
                           const torch::Tensor& whole_descriptor);

/// DynamicViT: the mean over stages of the squared distance between the share of patches that stay in a picture, of `decisions`
/// (B, N), and the one wanted there.
torch::Tensor stage_loss(const std::vector<torch::Tensor>& decisions, const std::vector<double>& wanted);

/// Share of clusters that fall into the same tier in both pictures of a positive pair; tier_of (B, M), labels (B).
/// 0 when no two pictures show one place.
double tier_agreement(const torch::Tensor& tier_of, const torch::Tensor& labels);

}  // namespace revisit::train

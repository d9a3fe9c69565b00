// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Spec -> plan.
#include "engine/extract/plan.h"

#include <algorithm>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "engine/backbone/vit/vit.h"
#include "engine/model/model_file.h"

namespace revisit {
namespace {

double head_macs(const model::HeadConfig& head, int width, int patches) {
  if (head.kind == model::HeadKind::kNone) return 0;
  if (head.kind == model::HeadKind::kVlad) return static_cast<double>(patches) * head.clusters * width;
  const double per_patch = 2.0 * width * head.hidden + static_cast<double>(head.hidden) * (head.cluster_dim + head.clusters) +
                           static_cast<double>(head.clusters) * head.cluster_dim;
  return per_patch * patches + static_cast<double>(head.hidden) * (width + head.token_dim);
}

}  // namespace

Size round_to_patch(Size size, int patch) {
  const auto nearest = [patch](int side) { return std::max(1, (side + patch / 2) / patch) * patch; };
  return {nearest(size.height), nearest(size.width)};
}

void check_tensor_size(Size size, int patch) {
  for (const int side : {size.height, size.width}) {
    if (side < patch || side % patch != 0) {
      fail_with_hint(ErrorCode::kUsage, "give a photo instead, it is resized for you",
                     "a tensor of {}x{} does not fit: each side must be a multiple of {}", size.height, size.width, patch);
    }
    if (side > limits::kMaxInputSide) {
      fail(ErrorCode::kUsage, "an input of {}x{} is too large: the limit is {} a side", size.height, size.width,
           limits::kMaxInputSide);
    }
  }
}

Plan make_plan(const model::Config& config, const DescriptorSpec& spec, int threads) {
  check_spec(spec);
  if (threads < 0 || threads > limits::kMaxThreads) {
    fail(ErrorCode::kUsage, "threads {} is out of range: 0 (all cores) to {}", threads, limits::kMaxThreads);
  }
  Plan plan;
  plan.threads = threads;
  const std::string identity = model::identity_of(config);
  if (spec.model_identity && *spec.model_identity != identity) {
    fail(ErrorCode::kMismatch, "the spec is for a model of identity {}, but this one has {}", *spec.model_identity, identity);
  }
  plan.spec = completed(overlaid(spec, config.own));
  plan.spec.model_identity = identity;
  const Size wanted = spec.size.value_or(config.input.size);
  const Size size = round_to_patch(wanted, config.vit.patch);
  plan.spec.size = size;
  if (size != wanted) {
    plan.notices.push_back(fmt::format("size {}x{} was rounded to {}x{}, multiples of the patch size {}", wanted.height,
                                       wanted.width, size.height, size.width, config.vit.patch));
  }
  return plan;
}

double forward_gmac(const model::Config& config, const reduce::TokenReducer& reducer, Size size) {
  const int patches = size.height / config.vit.patch * (size.width / config.vit.patch);
  const int prefix = 1 + config.vit.registers;
  double macs = vit::embed_macs(config.vit, patches) + reducer.macs(patches);
  for (int block = 0; block < config.vit.depth; ++block) {
    macs += vit::block_macs(config.vit, prefix + reducer.patches_after(block, patches));
  }
  return (macs + head_macs(config.head, config.vit.width, reducer.patches_after(config.vit.depth, patches))) * 1e-9;
}

}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Spec -> plan.
#include "engine/extract/plan.h"

#include <algorithm>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "engine/model/model_file.h"

namespace revisit {

void check_tensor_size(Size size, int patch) {
  for (const int side : {size.height, size.width}) {
    if (side < patch || side % patch != 0) {
      fail_with_hint(ErrorCode::kUsage, "give a photo instead, it is resized for you",
                     "a tensor of {}x{} does not fit: each side must be a multiple of {}", size.height, size.width, patch);
    }
    if (side > limits::kMaxInputSide) {
      fail(ErrorCode::kUsage, "an input of {}x{} is too large: the limit is {} per side", size.height, size.width,
           limits::kMaxInputSide);
    }
  }
}

namespace {

/// "auto" becomes the fastest of this processor whose answers are those of f32: bytes change the best match too often (decision
/// 28).
void choose_precision(Plan& plan) {
  using tensor::Precision;
  std::string& word = *plan.spec.precision;
  if (word == "auto") word = is_fast(Precision::kBf16) ? "bf16" : "f32";
  plan.precision = tensor::precision_of(word);
  if (is_fast(plan.precision)) return;
  plan.notices.push_back(
      fmt::format("this processor has no instructions for products in {}: they are right, but slower than in f32", word));
}

}  // namespace

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
  choose_precision(plan);
  const Size wanted = spec.size.value_or(config.input.size);
  const Size size = model::round_to_stride(wanted, config.backbone.stride());
  plan.spec.size = size;
  if (size != wanted) {
    plan.notices.push_back(fmt::format("size {}x{} was rounded to {}x{}, multiples of the patch size {}", wanted.height,
                                       wanted.width, size.height, size.width, config.backbone.stride()));
  }
  return plan;
}

int patches_of(const model::Config& config, Size size) {
  const Size grid = config.backbone.grid(size);
  if (grid.height < 1 || grid.width < 1) {
    fail(ErrorCode::kUsage, "an input of {}x{} is too small for {}: nothing would be left of its feature map", size.height,
         size.width, config.backbone.arch());
  }
  return grid.height * grid.width;
}

double forward_gmac(const model::Config& config, const reduce::TokenReducer& reducer, Size size) {
  const int patches = patches_of(config, size);
  std::vector<model::PatchesInBlock> in_block;
  for (int block = 0; block < config.backbone.blocks(); ++block) {
    in_block.push_back({reducer.patches_after(block, patches), reducer.patches_in_mlp(block, patches)});
  }
  const int left = reducer.patches_after(config.backbone.blocks(), patches);
  return (config.backbone.macs(size, in_block) + reducer.macs(patches) + config.head.macs(config.backbone.width(), left)) * 1e-9;
}

}  // namespace revisit

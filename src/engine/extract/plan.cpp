// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Options -> plan.
#include "engine/extract/plan.h"

#include <algorithm>

#include "core/base/fail.h"
#include "core/base/limits.h"

namespace revisit {
namespace {

template <typename Parse>
auto parse_word(const std::string& flag, const std::string& word, const char* choices, Parse parse) {
  try {
    return parse(word);
  } catch (const Error&) {
    fail(ErrorCode::kUsage, "{} '{}' is not one of {}", flag, word, choices);
  }
}

reduce::PruneSettings prune_settings(const model::Config& config, const ExtractorOptions& options) {
  reduce::PruneSettings settings;
  settings.kind = config.prune.kind;
  if (options.prune) settings.kind = parse_word("--prune", *options.prune, "weitop, random, norm, none", model::prune_kind_from);
  settings.rho = options.rho;
  settings.layer = options.prune_layer.value_or(config.prune.layer);
  settings.kappa = options.kappa.value_or(config.prune.kappa);
  settings.norm_scale = config.prune.norm_scale;
  if (options.norm_scale)
    settings.norm_scale = parse_word("--norm-scale", *options.norm_scale, "minmax, raw", model::norm_scale_from);
  // The model's own is about its own pruner: random patches stay random all over unless somebody asks.
  settings.spread = options.spread.value_or(settings.kind == config.prune.kind ? config.prune.spread : 1);
  settings.seed = options.seed;
  return settings;
}

}  // namespace

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

Plan make_plan(const model::Config& config, const ExtractorOptions& options) {
  Plan plan;
  const Size wanted = options.size.value_or(config.input.size);
  if (wanted.height < 1 || wanted.width < 1) {
    fail(ErrorCode::kUsage, "--size {}x{} is not a size: both sides must be at least 1", wanted.height, wanted.width);
  }
  if (std::max(wanted.height, wanted.width) > limits::kMaxInputSide) {
    fail(ErrorCode::kUsage, "--size {}x{} is too large: the limit is {} a side", wanted.height, wanted.width,
         limits::kMaxInputSide);
  }
  plan.size = model::round_to_stride(wanted, config.backbone.stride());
  if (plan.size != wanted) {
    plan.notices.push_back(fmt::format("size {}x{} was rounded to {}x{}, multiples of the patch size {}", wanted.height,
                                       wanted.width, plan.size.height, plan.size.width, config.backbone.stride()));
  }
  if (options.threads < 0 || options.threads > limits::kMaxThreads) {
    fail(ErrorCode::kUsage, "--threads {} is out of range: 0 (all cores) to {}", options.threads, limits::kMaxThreads);
  }
  plan.threads = options.threads;
  plan.prune = prune_settings(config, options);
  return plan;
}

double forward_gmac(const model::Config& config, const Plan& plan, Size size) {
  const Size grid = config.backbone.grid(size);
  const int patches = grid.height * grid.width;
  const bool prunes = plan.prune.rho < 1;
  const int kept = prunes ? reduce::kept_count(plan.prune.rho, patches) : patches;
  std::vector<int> in_block(static_cast<std::size_t>(config.backbone.blocks()), patches);
  if (prunes) std::fill(in_block.begin() + plan.prune.layer, in_block.end(), kept);
  const int width = config.backbone.width();
  double macs = config.backbone.macs(size, in_block) + config.head.macs(width, kept);
  if (prunes && plan.prune.kind == model::PruneKind::kWeitop)
    macs += static_cast<double>(patches) * config.prune.hidden * (width + 1);
  return macs * 1e-9;
}

}  // namespace revisit

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The family a name stands for.
#include <string_view>
#include <utility>

#include "core/base/fail.h"
#include "engine/reduce/reducer.h"
#include "engine/spec/prune_options.h"

namespace revisit::reduce {

namespace {

#define REVISIT_ENTRY(name) {#name, &name##_family},
constexpr std::pair<std::string_view, const ReducerFamily*> kFamilies[] = {REVISIT_REDUCERS(REVISIT_ENTRY)};
#undef REVISIT_ENTRY

[[noreturn]] void refuse_mass(const DescriptorSpec& spec) {
  fail_with_hint(ErrorCode::kUsage, "a model with WeiToP and its own `prune`, or `rho` instead",
                 "`keep_mass` {} needs the scores of WeiToP, but `prune` is {}", *spec.keep_mass, *spec.prune);
}

class KeepAll final : public TokenReducer {
 public:
  Needs needs(int /*block*/) const override { return Needs::kNothing; }
  void after_attention(int /*block*/, tensor::Tokens& /*tokens*/, const tensor::AttentionView& /*attention*/,
                       tensor::Arena& /*arena*/) override {}
  void after_block(int /*blocks_done*/, tensor::Tokens& /*tokens*/, tensor::Arena& /*arena*/) override {}
  int patches_after(int /*blocks_done*/, int patches) const override { return patches; }
};

}  // namespace

std::unique_ptr<TokenReducer> make_reducer(const DescriptorSpec& spec, const model::LoadedModel& model) {
  check_spec(spec);
  const int depth = model.config.backbone.blocks();
  if (!model.config.backbone.gives_tokens() && (*spec.prune != "none" || *spec.rho < 1 || spec.keep_mass)) {
    fail_with_hint(ErrorCode::kUsage, "leave out `prune`, `rho` and `keep_mass`, or use a vision transformer",
                   "tokens cannot be pruned in {}: it is a convolutional network and has a feature map instead",
                   model.config.backbone.arch());
  }
  if (*spec.prune_layer > depth) {
    fail(ErrorCode::kUsage, "the pruning layer must be between 0 and the model's {} blocks, not {}", depth, *spec.prune_layer);
  }
  for (const auto& [name, family] : kFamilies) {
    if (*spec.prune != name) continue;
    if (spec.keep_mass && !family->has_logits) refuse_mass(spec);
    if (!family->has_options) PruneOptions(spec).finish();
    return family->make(spec, model);
  }
  if (spec.keep_mass) refuse_mass(spec);
  PruneOptions(spec).finish();
  if (*spec.rho < 1) {
    fail_with_hint(ErrorCode::kUsage, "`prune` fastv, norm or random, or a model with WeiToP",
                   "rho = {} needs a pruner, but the model has none", *spec.rho);
  }
  return std::make_unique<KeepAll>();
}

}  // namespace revisit::reduce

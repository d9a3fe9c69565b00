// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Which aggregator a model gets: by the name of its head, or a pooling by the user's word.
#include "engine/aggregate/aggregator.h"

#include "core/base/fail.h"
#include "engine/aggregate/pooling.h"

namespace revisit::aggregate {

#define REVISIT_HEAD(name) std::unique_ptr<Aggregator> make_##name(const model::LoadedModel& model);
#include "engine/model/heads.def"

namespace {

std::unique_ptr<Aggregator> make_head(const model::LoadedModel& model) {
  const std::string& kind = model.config.head.kind;
#define REVISIT_HEAD(name) \
  if (kind == #name) return make_##name(model);
#include "engine/model/heads.def"
  fail(ErrorCode::kBadModel, "the model's aggregator '{}' is not one this version knows", kind);
}

}  // namespace

std::unique_ptr<Aggregator> make_aggregator(const model::LoadedModel& model, const std::optional<std::string>& word) {
  const model::HeadConfig& head = model.config.head;
  if (!head.is_none() && word) {
    fail_with_hint(ErrorCode::kUsage, "leave out `aggregate`",
                   "the model has its own head ({}), so aggregate '{}' cannot be used", head.kind, *word);
  }
  if (!head.is_none()) return make_head(model);
  const std::string hint = "`aggregate` " + pooling_words();
  if (!word) fail_with_hint(ErrorCode::kUsage, hint, "the model is a backbone without a head, so an aggregate must be chosen");
  const std::optional<Pooling> pooling = pooling_from(*word);
  if (!pooling) fail_with_hint(ErrorCode::kUsage, hint, "'{}' is not an aggregate", *word);
  return std::make_unique<PoolingAggregator>(*pooling, model.config.backbone.width());
}

}  // namespace revisit::aggregate

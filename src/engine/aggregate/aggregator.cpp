// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Which aggregator a model gets.
#include "engine/aggregate/aggregator.h"

#include "core/base/fail.h"
#include "engine/aggregate/pooling.h"
#include "engine/aggregate/salad.h"
#include "engine/aggregate/vlad.h"
#include "engine/aggregate/weiad.h"

namespace revisit::aggregate {
namespace {
constexpr const char* kHint = "--aggregate cls|mean|gem";
}

std::unique_ptr<Aggregator> make_aggregator(const model::LoadedModel& model, const std::optional<std::string>& word) {
  const model::HeadKind kind = model.config.head.kind;
  if (kind == model::HeadKind::kNone) {
    if (!word) fail_with_hint(ErrorCode::kUsage, kHint, "the model is a backbone without a head, so an aggregate must be chosen");
    const std::optional<Pooling> pooling = pooling_from(*word);
    if (!pooling) fail_with_hint(ErrorCode::kUsage, kHint, "'{}' is no aggregate", *word);
    return std::make_unique<PoolingAggregator>(*pooling, model.config.vit.width);
  }
  if (word) {
    fail_with_hint(ErrorCode::kUsage, "leave out --aggregate",
                   "the model has its own head ({}), so aggregate '{}' cannot be used", model::name_of(kind), *word);
  }
  if (kind == model::HeadKind::kWeiad) return std::make_unique<Weiad>(model);
  if (kind == model::HeadKind::kVlad) return std::make_unique<Vlad>(model);
  return std::make_unique<Salad>(model);
}

}  // namespace revisit::aggregate

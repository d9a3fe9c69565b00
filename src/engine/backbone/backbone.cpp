// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Which network a model gets.
#include "engine/backbone/backbone.h"

#include <string>

#include "core/base/fail.h"
#include "engine/model/backbone_family.h"

namespace revisit::backbone {

#define REVISIT_BACKBONE(name) std::unique_ptr<Backbone> make_##name(const model::LoadedModel& model, tensor::Precision precision);
#include "engine/model/backbones.def"

std::unique_ptr<Backbone> make_backbone(const model::LoadedModel& model, tensor::Precision precision) {
  const std::string family = model.config.backbone.family().name();
#define REVISIT_BACKBONE(name) \
  if (family == #name) return make_##name(model, precision);
#include "engine/model/backbones.def"
  fail(ErrorCode::kInternal, "backbones of the family {} cannot be run", family);
}

}  // namespace revisit::backbone

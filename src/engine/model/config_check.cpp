// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Ranges of every number in a config; those of its backbone and head are with their families.
#include "engine/model/config_check.h"

#include <algorithm>

#include "core/base/fail.h"
#include "core/formats/printable.h"
#include "engine/model/backbone_family.h"
#include "engine/model/checker.h"
#include "engine/model/head_family.h"

namespace revisit::model {
namespace {

void check_input(const InputConfig& input, int patch, const Checker& check) {
  for (const int side : {input.size.height, input.size.width}) {
    check.whole("size", side, patch, 4096);
    check.multiple("size", side, "patch", patch);
  }
  for (std::size_t c = 0; c < 3; ++c) {
    check.real("mean", static_cast<double>(input.mean[c]), -1000, 1000);
    check.real("std", static_cast<double>(input.std[c]), 1e-6, 1000);
  }
}

void check_own(const Config& config, const Checker& check, const std::string& name) {
  if (config.has_weitop()) check.whole("pruner.hidden", config.weitop_hidden, 1, 8192);
  if (config.has_dynamicvit() || config.predictors != 0) {
    check.whole("pruner.stages", config.predictors, 1, std::min(10, config.backbone.blocks()));
    check.whole("width for DynamicViT's predictors", config.backbone.width(), 4, 1 << 16);
  }
  if (config.own.prune_layer) check.whole("pruner.layer", *config.own.prune_layer, 0, config.backbone.blocks());
  try {
    check_spec(config.own);
  } catch (const Error& error) {
    fail(ErrorCode::kBadModel, "'{}': {}", name, error.what());
  }
}

}  // namespace

void check_backbone(const BackboneConfig& backbone, const std::string& name) { backbone.family().check(backbone, Checker(name)); }

void check_config(const Config& config, const std::string& name) {
  const Checker check(name);
  check_backbone(config.backbone, name);
  check_input(config.input, config.backbone.stride(), check);
  config.head.family().check(config.head, check);
  check_own(config, check, name);
  if (config.calibration) {
    check.real("calibration.min_similarity", config.calibration->min_similarity.value_or(0), -1, 1);
    check.real("calibration.precision", config.calibration->precision, 0, 1);
    check.real("calibration.rho", config.calibration->rho, 1e-9, 1);
    check.whole("calibration.size", config.calibration->size.height, 0, 4200);
    check.whole("calibration.size", config.calibration->size.width, 0, 4200);
    check.text("calibration.arithmetic", config.calibration->arithmetic);
    check.text("calibration.decision", config.calibration->decision);
  }
  check.text("licence", config.licence);
  check.text("provenance", config.provenance);
  check.text("fingerprint", config.fingerprint);
  if (!config.quantised.empty() && config.quantised != kRotatedBytes) {
    check.wrong("its matrices are stored as '{}', but this version of revisit reads '{}'", printable(config.quantised),
                kRotatedBytes);
  }
}

}  // namespace revisit::model

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Config <-> the string metadata of a model file: flat readable keys, numbers in their shortest form that reads back exactly.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "core/base/fail.h"
#include "engine/model/backbone_family.h"
#include "engine/model/config_check.h"
#include "engine/model/fields.h"
#include "engine/model/head_family.h"
#include "engine/model/model_file.h"

namespace revisit::model {
namespace {

constexpr int kFormat = 1;

// Model files from before there was a second family do not name theirs.
constexpr const char* kFirstFamily = "vit";

BackboneConfig backbone_from_metadata(const Fields& fields) {
  const auto find = [](const std::string& name) { return &backbone_family(name); };
  const BackboneFamily* family =
      fields.has("backbone") ? fields.word<const BackboneFamily*>("backbone", find) : &backbone_family(kFirstFamily);
  return family->read(fields);
}

HeadConfig head_from_metadata(const Fields& fields, int width) {
  const auto find = [](const std::string& name) { return &head_family(name); };
  return fields.word<const HeadFamily*>("aggregator", find)->read(fields, width);
}

// The model's own settings. Later additions may be missing and then have their default.
void own_from_metadata(const Fields& fields, Config& config) {
  const bool prunes = fields.text("pruner") != "none";
  for (const Setting& one : settings()) {
    if (one.model_key == nullptr || (one.kept_with_pruner() && !prunes)) continue;
    const bool always_there =
        one.kept_with_pruner() && !one.of_pruner && (config.has_weitop() || one.name == std::string_view("prune"));
    if (always_there || fields.has(one.model_key)) fields.setting(one, config.own);
  }
  if (config.has_weitop()) config.weitop_hidden = fields.number<int>("pruner.hidden");
  if (fields.has("pruner.stages")) config.predictors = fields.number<int>("pruner.stages");
}

void own_to_metadata(const Config& config, std::map<std::string, std::string>& out) {
  out["pruner"] = "none";
  for (const Setting& one : settings()) {
    const SettingValue value = one.get(config.own);
    if (one.model_key == nullptr || std::holds_alternative<std::monostate>(value)) continue;
    if (one.of_pruner && value == one.usual) continue;  // added later: absent means the default
    out[one.model_key] = text_of(value);
  }
  if (config.has_weitop()) out["pruner.hidden"] = std::to_string(config.weitop_hidden);
  if (config.predictors > 0) out["pruner.stages"] = std::to_string(config.predictors);
}

}  // namespace

std::map<std::string, std::string> to_metadata(const Config& config) {
  std::map<std::string, std::string> out;
  out["revisit.format"] = std::to_string(kFormat);
  const BackboneFamily& family = config.backbone.family();
  if (family.name() != std::string_view(kFirstFamily)) out["backbone"] = family.name();
  family.write(config.backbone, out);
  out["size"] = size_text(config.input.size.height, config.input.size.width);
  out["mean"] = fmt::format("{}", fmt::join(config.input.mean, ","));
  out["std"] = fmt::format("{}", fmt::join(config.input.std, ","));
  out["resize"] = name_of(config.input.resize);
  out["aggregator"] = config.head.kind;
  config.head.family().write(config.head, out);
  own_to_metadata(config, out);
  if (config.calibration) {
    if (config.calibration->min_similarity) {
      out["calibration.min_similarity"] = fmt::format("{}", *config.calibration->min_similarity);
      out["calibration.precision"] = fmt::format("{}", config.calibration->precision);
    }
    if (!config.calibration->decision.empty()) out["calibration.decision"] = config.calibration->decision;
    out["calibration.rho"] = fmt::format("{}", config.calibration->rho);
    out["calibration.size"] = size_text(config.calibration->size.height, config.calibration->size.width);
    out["calibration.arithmetic"] = config.calibration->arithmetic;
  }
  out["licence"] = config.licence;
  out["provenance"] = config.provenance;
  out["fingerprint"] = config.fingerprint;
  if (!config.nonfinite.empty()) out["nonfinite"] = config.nonfinite;
  if (!config.quantised.empty()) out["quantised"] = config.quantised;
  return out;
}

Config from_metadata(const std::map<std::string, std::string>& metadata, const std::string& name) {
  const Fields fields(metadata, name);
  if (!fields.has("revisit.format")) {
    fail_with_hint(ErrorCode::kBadModel, "revisit model import makes a model file of it",
                   "'{}' holds weights but is not a revisit model file", name);
  }
  const int format = fields.number<int>("revisit.format");
  if (format > kFormat) {
    fail_with_hint(ErrorCode::kBadModel, "update revisit, or import the original checkpoint again",
                   "'{}' has model format {}, newer than {}, the newest this version of revisit reads", name, format, kFormat);
  }
  if (format < 1) fail(ErrorCode::kBadModel, "'{}' has model format {}, which never existed", name, format);

  Config config;
  config.backbone = backbone_from_metadata(fields);
  config.input.size = fields.size("size");
  config.input.mean = fields.rgb("mean");
  config.input.std = fields.rgb("std");
  config.input.resize = fields.word("resize", resize_filter_from);
  config.head = head_from_metadata(fields, config.backbone.width());
  own_from_metadata(fields, config);
  const bool has_threshold = fields.has("calibration.min_similarity"), has_rates = fields.has("calibration.decision");
  if (has_threshold || has_rates) {
    config.calibration.emplace();
    config.calibration->rho = fields.number<double>("calibration.rho");
    if (has_threshold) {
      config.calibration->min_similarity = fields.number<double>("calibration.min_similarity");
      config.calibration->precision = fields.number<double>("calibration.precision");
    }
    if (has_rates) config.calibration->decision = fields.text("calibration.decision");
    if (fields.has("calibration.size")) config.calibration->size = fields.size("calibration.size");
    if (fields.has("calibration.arithmetic")) config.calibration->arithmetic = fields.text("calibration.arithmetic");
  }
  config.licence = fields.text("licence");
  config.provenance = fields.text("provenance");
  config.fingerprint = fields.text("fingerprint");
  if (fields.has("nonfinite")) config.nonfinite = fields.text("nonfinite");
  if (fields.has("quantised")) config.quantised = fields.text("quantised");
  check_config(config, name);
  return config;
}

}  // namespace revisit::model

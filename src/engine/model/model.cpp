// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The public face of a loaded model.
#include "revisit/model.h"

#include "engine/model/backbone_family.h"
#include "engine/model/model_file.h"

namespace revisit {

Model::Model(std::shared_ptr<const model::LoadedModel> loaded) : loaded_(std::move(loaded)) {}

Model Model::load(const std::filesystem::path& path) { return Model(model::load_model_file(path)); }

Model Model::random(const std::string& arch, std::uint64_t seed) {
  auto made = std::make_shared<model::LoadedModel>(*model::make_random(model::named_config(arch), seed));
  if (arch == kDemoModel && seed == 0) made->source = kDemoModel;
  return Model(std::move(made));
}

ModelInfo Model::info() const {
  const model::Config& config = loaded_->config;
  ModelInfo info;
  info.arch = config.backbone.arch();
  info.width = config.backbone.width();
  config.backbone.family().tell(config.backbone, info);
  info.size = config.input.size;
  info.aggregator = config.head.kind;
  info.clusters = config.head.clusters();
  info.descriptor_dim = config.head.descriptor_dim();
  info.own = config.own;
  for (const auto& [name, tensor] : loaded_->weights.all()) {
    const bool is_scale = !config.quantised.empty() && name.ends_with(model::kScale);
    info.parameters += is_scale ? 0 : tensor.count();
  }
  info.quantised = config.quantised;
  info.licence = config.licence;
  info.provenance = config.provenance;
  info.source = loaded_->source;
  info.fingerprint = config.fingerprint;
  info.constants = model::constants_of(config);
  info.identity = model::identity_of(config);
  info.mean = config.input.mean;
  info.std = config.input.std;
  info.resize = model::name_of(config.input.resize);
  if (config.calibration) {
    info.min_similarity = config.calibration->min_similarity;
    info.calibrated_precision = config.calibration->precision;
    info.calibrated_rho = config.calibration->rho;
    info.calibrated_size = config.calibration->size;
    info.decision = config.calibration->decision;
  }
  return info;
}

}  // namespace revisit

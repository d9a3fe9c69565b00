// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The tensors of a network, by name and shape, and the network that a set of them forms.
#include "engine/model/backbone_family.h"
#include "engine/model/backbone_importer.h"
#include "engine/model/head_family.h"
#include "engine/model/model_file.h"

namespace revisit::model {

Shapes required_tensors(const Config& config) {
  Shapes shapes;
  const int width = config.backbone.width();
  config.backbone.family().add_tensors(config.backbone, shapes);
  config.head.family().add_tensors(config.head, width, shapes);
  if (config.has_weitop()) {
    add_linear(shapes, "weitop.0", config.weitop_hidden, width);
    add_linear(shapes, "weitop.2", 1, config.weitop_hidden);
  }
  for (int stage = 0; stage < config.predictors; ++stage) {
    const std::string predictor = std::string(kPredictorRoot) + std::to_string(stage);
    for (const char* part : {".in_conv.0.weight", ".in_conv.0.bias"}) shapes[predictor + part] = {width};
    add_linear(shapes, predictor + ".in_conv.1", width, width);
    add_linear(shapes, predictor + ".out_conv.0", width / 2, width);
    add_linear(shapes, predictor + ".out_conv.2", width / 4, width / 2);
    add_linear(shapes, predictor + ".out_conv.4", 2, width / 4);
  }
  if (config.quantised.empty()) return shapes;
  for (const std::string& layer : config.backbone.family().block_layers(config.backbone)) {
    const std::string weight = layer + ".weight";
    shapes[weight + kScale] = {shapes.at(weight).front()};
  }
  return shapes;
}

Config infer_config(const BackboneFamily& family, const Shapes& shapes, std::optional<int> heads, std::optional<Size> size,
                    const std::string& name) {
  const ShapeReader read(shapes, name);
  Config config;
  config.backbone = family.importer().infer(read, heads, size);
  for (const HeadFamily* head : head_families()) {
    if (const auto found = head->infer(read, config.backbone.width())) {
      config.head = *found;
      break;
    }
  }
  if (read.any_starts_with("weitop.")) {
    config.own = weitop_settings();
    config.weitop_hidden = read.outputs("weitop.0", 256);
  }
  while (read.any_starts_with(std::string(kPredictorRoot) + std::to_string(config.predictors) + ".")) ++config.predictors;
  if (config.predictors > 0 && !config.own.prune) config.own.prune = "dynamicvit";
  return config;
}

}  // namespace revisit::model

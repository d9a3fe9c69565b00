// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Everything about a model that is not a weight: architecture, input, aggregator, pruner, origin.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/model/backbone_config.h"
#include "engine/model/head_config.h"
#include "engine/model/weights.h"
#include "revisit/spec.h"

namespace revisit::model {

struct InputConfig {
  Size size{322, 322};
  std::array<float, 3> mean{0.485F, 0.456F, 0.406F};
  std::array<float, 3> std{0.229F, 0.224F, 0.225F};
  ResizeFilter resize = ResizeFilter::kBilinear;
};

/// When to say "no match", and the settings that was measured at.
struct Calibration {
  std::optional<double> min_similarity;
  double precision = 0;  // that min_similarity promises
  double rho = 1;
  Size size{};                     // of the input; 0x0 when not recorded
  std::string arithmetic = "f32";  // what the weights were run in
  std::string decision{};          // rates of wrong answers: text of a DecisionTable; empty: not known
};

/// Matrices of blocks as int8 `X.weight` and f32 `X.weight.scale`, a scale for each output: tensor::ByteWeights. A change of how
/// the bytes are made is another scheme.
inline constexpr const char* kRotatedBytes = "rotated-int8/1";

struct Config {
  BackboneConfig backbone;
  InputConfig input;
  HeadConfig head;
  DescriptorSpec own;     // the model's defaults where a spec leaves them open: its pruner and the pruner's constants
  int weitop_hidden = 0;  // width of the WeiToP MLP; 0: the model has none
  int predictors = 0;     // of DynamicViT, one per stage; 0: the model has none
  std::optional<Calibration> calibration;
  std::string licence = "unknown";
  std::string provenance;
  std::string fingerprint;  // xxh3 of the f32 source weights, 16 hex digits
  std::string quantised;    // how the matrices of its blocks are stored in bytes: kRotatedBytes; empty: they are not
  std::string nonfinite;    // the first tensor with NaN or infinity, if imported anyway; such a model is not run

  bool has_weitop() const { return own.prune == "weitop"; }
  bool has_dynamicvit() const { return own.prune == "dynamicvit"; }

  /// The backbone as a vision transformer. Throws Error kUsage if it is not one.
  auto& vit() { return backbone.vit(); }
  const auto& vit() const { return backbone.vit(); }
};

/// Tensors of DynamicViT's predictors are called score_predictor.STAGE.*, in model files as in its checkpoints.
inline constexpr const char* kPredictorRoot = "score_predictor.";

/// The defaults of a model with WeiToP unless its file says otherwise.
DescriptorSpec weitop_settings();

/// Words of enums in model files and on the command line. The from_ functions throw Error kBadModel.
const char* name_of(ResizeFilter filter);  // bilinear, bicubic
ResizeFilter resize_filter_from(const std::string& word);

/// A model ready to be run: weights carry the names of the model file (`backbone.model.*`, `aggregator.*`, `weitop.*`).
struct LoadedModel {
  Config config;
  Weights weights;
  std::string source;  // how to open it again: its file, or its name if built in; empty: neither
};

}  // namespace revisit::model

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
#include "revisit/image.h"

namespace revisit::model {

struct InputConfig {
  Size size{322, 322};
  std::array<float, 3> mean{0.485F, 0.456F, 0.406F};
  std::array<float, 3> std{0.229F, 0.224F, 0.225F};
  ResizeFilter resize = ResizeFilter::kBilinear;
};

enum class PruneKind { kNone, kWeitop, kRandom, kNorm };
enum class NormScale { kMinMax, kRaw };

struct PruneConfig {
  PruneKind kind = PruneKind::kNone;
  int layer = 1;   // blocks run before pruning
  int hidden = 0;  // of the WeiToP MLP
  double kappa = 0.5;
  NormScale norm_scale = NormScale::kMinMax;
  int spread = 1;  // cells of spread x spread patches that WeiToP keeps the best of; 1: of the whole picture
};

/// The "no match" threshold and the settings it was chosen at.
struct Calibration {
  double min_similarity = 0;
  double precision = 0;
  double rho = 1;
  Size size{};                     // of the input; 0x0 when not recorded
  std::string arithmetic = "f32";  // what the weights were run in
};

struct Config {
  BackboneConfig backbone;
  InputConfig input;
  HeadConfig head;
  PruneConfig prune;
  std::optional<Calibration> calibration;
  std::string licence = "unknown";
  std::string provenance;
  std::string fingerprint;  // xxh3 of the f32 source weights, 16 hex digits
  std::string nonfinite;    // the first tensor with NaN or infinity, when imported nevertheless; such a model is not run

  /// The backbone as a vision transformer. Throws Error kUsage when it is none.
  auto& vit() { return backbone.vit(); }
  const auto& vit() const { return backbone.vit(); }
};

/// Words of enums as they stand in model files and on the command line. The from_ functions throw Error kBadModel.
const char* name_of(PruneKind kind);       // none, weitop, random, norm
const char* name_of(NormScale scale);      // minmax, raw
const char* name_of(ResizeFilter filter);  // bilinear, bicubic
PruneKind prune_kind_from(const std::string& word);
NormScale norm_scale_from(const std::string& word);
ResizeFilter resize_filter_from(const std::string& word);

/// A model ready to be run: weights carry the names of the model file (`backbone.model.*`, `aggregator.*`, `weitop.*`).
struct LoadedModel {
  Config config;
  Weights weights;
};

}  // namespace revisit::model

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Everything about a model that is not a weight: architecture, input, aggregator, pruner, origin.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/weights.h"
#include "revisit/spec.h"

namespace revisit::model {

/// How a position table of one grid is resampled to another (algorithms: each family does it in its own way).
enum class PosRule {
  kHub,           ///< torch-hub DINOv2: bicubic A=-0.75, no antialias, scale factor with 0.1 offset
  kHubAntialias,  ///< torch-hub DINOv2 with registers: antialiased bicubic A=-0.5, ratio of sizes
  kHf,            ///< Hugging Face: bicubic A=-0.75, no antialias, ratio of sizes
  kTimm,          ///< timm: antialiased bicubic A=-0.5, ratio of sizes
};

struct VitConfig {
  std::string arch = "vit";
  int width = 0;            // D, the token dimension
  int depth = 0;
  int heads = 0;
  int patch = 0;
  int registers = 0;        // R
  bool swiglu = false;
  int ffn_hidden = 0;       // width of fc1's output, or of w3's input for SwiGLU
  bool layer_scale = false;
  int pos_rows = 0;         // grid of the stored position table
  int pos_cols = 0;
  PosRule pos_rule = PosRule::kHub;
  float norm_eps = 1e-6F;
};

struct InputConfig {
  Size size{322, 322};
  std::array<float, 3> mean{0.485F, 0.456F, 0.406F};
  std::array<float, 3> std{0.229F, 0.224F, 0.225F};
  ResizeFilter resize = ResizeFilter::kBilinear;
};

enum class HeadKind { kNone, kWeiad, kSalad, kVlad };
/// Where the tier weights act (algorithms.md A1): after the per-cluster L2, before it (so that it cancels them), or with no per-cluster L2.
enum class ClusterNorm { kWeightAfter, kSalad, kNone };

struct HeadConfig {
  HeadKind kind = HeadKind::kNone;
  int clusters = 0;         // M
  int cluster_dim = 0;      // l; for VLAD the token width
  int token_dim = 0;        // 0 for VLAD, which does not use CLS
  int hidden = 0;
  int sinkhorn_iters = 3;
  // WeiAD only
  std::vector<int> tiers;   // sizes, best tier first; they sum to `clusters`
  double ghost_penalty = 0.5;
  double tier_floor = 1e-3;
  bool dustbin = true;
  bool ghost = true;
  ClusterNorm norm = ClusterNorm::kWeightAfter;

  int descriptor_dim() const { return clusters * cluster_dim + token_dim; }
};

/// The "no match" threshold and the settings it was chosen at.
struct Calibration {
  double min_similarity = 0;
  double precision = 0;
  double rho = 1;
  Size size{};                      // of the input; 0x0 when not recorded
  std::string arithmetic = "f32";   // what the weights were run in
};

struct Config {
  VitConfig vit;
  InputConfig input;
  HeadConfig head;
  DescriptorSpec own;       // what the model chooses where a spec leaves it open: its pruner and the pruner's constants
  int weitop_hidden = 0;    // width of the WeiToP MLP; 0: the model has none
  std::optional<Calibration> calibration;
  std::string licence = "unknown";
  std::string provenance;
  std::string fingerprint;  // xxh3 of the f32 source weights, 16 hex digits; see identity_of
  std::string nonfinite;    // the first tensor with NaN or infinity, when imported nevertheless; such a model is not run

  bool has_weitop() const { return own.prune == "weitop"; }
};

/// What a model with WeiToP chooses unless its file says otherwise.
DescriptorSpec weitop_settings();

/// Words of enums as they stand in model files and on the command line. The from_ functions throw Error kBadModel.
const char* name_of(PosRule rule);          // hub, hub-antialias, hf, timm
const char* name_of(HeadKind kind);         // none, weiad, salad, vlad
const char* name_of(ClusterNorm norm);      // weight-after, salad, none
const char* name_of(ResizeFilter filter);   // bilinear, bicubic
PosRule pos_rule_from(const std::string& word);
HeadKind head_kind_from(const std::string& word);
ClusterNorm cluster_norm_from(const std::string& word);
ResizeFilter resize_filter_from(const std::string& word);

/// A model ready to be run: weights carry the names of the model file (`backbone.model.*`, `aggregator.*`, `weitop.*`).
struct LoadedModel {
  Config config;
  Weights weights;
  std::string source;  // what it is opened by again: its file, or its name where it is built in; empty: neither
};

}  // namespace revisit::model

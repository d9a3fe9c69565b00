// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The settings of a vision transformer: DINOv2 S/B/L/g, with registers or SwiGLU too, and timm ViTs. The known ones by name.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace revisit::model {

/// How a position table of one grid is resampled to another (each family has its own way).
enum class PosRule {
  kHub,           ///< torch-hub DINOv2: bicubic A=-0.75, no antialias, scale factor with 0.1 offset
  kHubAntialias,  ///< torch-hub DINOv2 with registers: antialiased bicubic A=-0.5, ratio of sizes
  kHf,            ///< Hugging Face: bicubic A=-0.75, no antialias, ratio of sizes
  kTimm,          ///< timm: antialiased bicubic A=-0.5, ratio of sizes
};

struct VitConfig {
  static constexpr const char* kFamily = "vit";

  std::string arch = "vit";
  int width = 0;  // D, the token dimension
  int depth = 0;
  int heads = 0;
  int patch = 0;
  int registers = 0;  // R
  bool swiglu = false;
  int ffn_hidden = 0;  // width of fc1's output, or of w3's input for SwiGLU
  bool layer_scale = false;
  int pos_rows = 0;  // grid of the stored position table
  int pos_cols = 0;
  PosRule pos_rule = PosRule::kHub;
  float norm_eps = 1e-6F;
};

const char* name_of(PosRule rule);  // hub, hub-antialias, hf, timm
PosRule pos_rule_from(const std::string& word);

/// "dinov2_vits14", "dinov2_vitb14_reg4", "vit_tiny_patch16", ...: a config without position grid and rule. Empty when unknown.
std::optional<VitConfig> known_arch(const std::string& name);
std::vector<std::string> known_arch_names();

/// The known name that fits a config, else "vit".
std::string arch_name_of(const VitConfig& vit);

}  // namespace revisit::model

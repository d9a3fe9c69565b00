// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The table of known vision transformers.
#include <array>
#include <string_view>

#include "engine/model/vit_family.h"

namespace revisit::model {
namespace {

struct KnownArch {
  const char* name;
  int width, depth, patch;
  bool swiglu;
  int ffn_hidden;
  bool layer_scale;
};

// Every one has heads of 64; DINOv2's also come with four registers (suffix _reg4).
constexpr std::array<KnownArch, 8> kKnown{{
    {"dinov2_vits14", 384, 12, 14, false, 1536, true},
    {"dinov2_vitb14", 768, 12, 14, false, 3072, true},
    {"dinov2_vitl14", 1024, 24, 14, false, 4096, true},
    {"dinov2_vitg14", 1536, 40, 14, true, 4096, true},
    {"vit_tiny_patch16", 192, 12, 16, false, 768, false},
    {"vit_small_patch16", 384, 12, 16, false, 1536, false},
    {"vit_base_patch16", 768, 12, 16, false, 3072, false},
    {"vit_large_patch16", 1024, 24, 16, false, 4096, false},
}};
constexpr std::string_view kRegisters = "_reg4";

bool has_registers(const KnownArch& arch) { return arch.patch == 14; }

VitConfig config_of(const KnownArch& arch, bool registers) {
  VitConfig vit;
  vit.arch = std::string(arch.name) + (registers ? std::string(kRegisters) : "");
  vit.width = arch.width;
  vit.depth = arch.depth;
  vit.heads = arch.width / 64;
  vit.patch = arch.patch;
  vit.registers = registers ? 4 : 0;
  vit.swiglu = arch.swiglu;
  vit.ffn_hidden = arch.ffn_hidden;
  vit.layer_scale = arch.layer_scale;
  return vit;
}

}  // namespace

std::optional<VitConfig> known_arch(const std::string& name) {
  for (const auto& arch : kKnown) {
    if (name == arch.name) return config_of(arch, false);
    if (has_registers(arch) && name == std::string(arch.name) + std::string(kRegisters)) return config_of(arch, true);
  }
  return std::nullopt;
}

std::vector<std::string> known_arch_names() {
  std::vector<std::string> names;
  for (const auto& arch : kKnown) {
    names.emplace_back(arch.name);
    if (has_registers(arch)) names.push_back(std::string(arch.name) + std::string(kRegisters));
  }
  return names;
}

std::string arch_name_of(const VitConfig& vit) {
  for (const auto& name : known_arch_names()) {
    const VitConfig known = *known_arch(name);
    if (vit.width == known.width && vit.depth == known.depth && vit.heads == known.heads && vit.patch == known.patch &&
        vit.registers == known.registers && vit.swiglu == known.swiglu && vit.ffn_hidden == known.ffn_hidden &&
        vit.layer_scale == known.layer_scale) {
      return name;
    }
  }
  return "vit";
}

std::vector<KnownModel> VitFamily::known() const {
  return {{"DINOv2", "", "ViT-S/14, ViT-B/14, ViT-L/14 or ViT-g/14, with or without registers", "multiples of 14",
           "384 to 1536 (the token dimension)", "", "Apache-2.0 (code and weights)", "",
           "github.com/facebookresearch/dinov2: dinov2_vit{s,b,l,g}14_pretrain.pth and _reg4_pretrain.pth"}};
}

}  // namespace revisit::model

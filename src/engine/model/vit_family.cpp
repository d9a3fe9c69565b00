// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Sizes of a vision transformer and the work of one forward.
#include "engine/model/vit_family.h"

#include <fmt/format.h>

#include "revisit/model.h"

namespace revisit::model {
namespace {

/// Of one block whose attention is over t rows and whose MLP over m: 4 D^2 t + 2 D t^2, and the matrices of the MLP.
double block_macs(const VitConfig& vit, double t, double m) {
  const double d = vit.width;
  return 4 * t * d * d + 2 * t * t * d + (vit.swiglu ? 3 : 2) * m * d * vit.ffn_hidden;
}

int area(Size grid) { return grid.height * grid.width; }
int prefix(const VitConfig& vit) { return 1 + vit.registers; }

}  // namespace

const BackboneFamily& vit_family() {
  static const VitFamily family;
  return family;
}

const char* VitFamily::name() const { return VitConfig::kFamily; }
const std::string& VitFamily::arch(const BackboneConfig& config) const { return config.vit().arch; }
int VitFamily::width(const BackboneConfig& config) const { return config.vit().width; }
int VitFamily::stride(const BackboneConfig& config) const { return config.vit().patch; }
int VitFamily::blocks(const BackboneConfig& config) const { return config.vit().depth; }

Size VitFamily::grid(const BackboneConfig& config, Size input) const {
  return {input.height / config.vit().patch, input.width / config.vit().patch};
}

double VitFamily::macs(const BackboneConfig& config, Size input, std::span<const PatchesInBlock> patches) const {
  const VitConfig& vit = config.vit();
  const int all = area(grid(config, input));
  double macs = 3.0 * vit.patch * vit.patch * vit.width * all;  // the patch embedding
  for (int i = 0; i < vit.depth; ++i) {
    const auto [attention, mlp] = patches.empty() ? PatchesInBlock{all, all} : patches[static_cast<std::size_t>(i)];
    macs += block_macs(vit, prefix(vit) + attention, prefix(vit) + mlp);
  }
  return macs;
}

void VitFamily::keep_blocks(BackboneConfig& config, int blocks) const { config.vit().depth = blocks; }

void VitFamily::tell(const BackboneConfig& config, ModelInfo& info) const {
  const VitConfig& vit = config.vit();
  info.depth = vit.depth;
  info.heads = vit.heads;
  info.patch = vit.patch;
  info.registers = vit.registers;
  info.pos_rule = name_of(vit.pos_rule);
}

}  // namespace revisit::model

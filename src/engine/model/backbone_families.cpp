// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The list of families, and what a config gets from its own.
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/fail.h"
#include "engine/model/backbone_family.h"

namespace revisit::model {
#define REVISIT_BACKBONE(name) const BackboneFamily& name##_family();
#include "engine/model/backbones.def"

std::span<const BackboneFamily* const> backbone_families() {
#define REVISIT_BACKBONE(name) &name##_family(),
  static const BackboneFamily* const all[] = {
#include "engine/model/backbones.def"
  };
  return all;
}

const BackboneFamily& backbone_family(const std::string& name) {
  for (const BackboneFamily* family : backbone_families())
    if (name == family->name()) return *family;
  std::vector<std::string> known;  // only now: a photo that is described asks for its family too
  for (const BackboneFamily* family : backbone_families()) known.emplace_back(family->name());
  fail(ErrorCode::kBadModel, "'{}' is not a backbone family this version knows; known are {}", name, fmt::join(known, ", "));
}

const char* BackboneConfig::family_name() const {
  return std::visit([](const auto& settings) { return settings.kFamily; }, any_);
}
const BackboneFamily& BackboneConfig::family() const { return backbone_family(family_name()); }
const std::string& BackboneConfig::arch() const { return family().arch(*this); }
int BackboneConfig::width() const { return family().width(*this); }
int BackboneConfig::stride() const { return family().stride(*this); }
int BackboneConfig::blocks() const { return family().blocks(*this); }
bool BackboneConfig::gives_tokens() const { return family().gives_tokens(); }
Size BackboneConfig::grid(Size input) const { return family().grid(*this, input); }
double BackboneConfig::macs(Size input, std::span<const PatchesInBlock> patches) const {
  return family().macs(*this, input, patches);
}

void BackboneConfig::wrong_family(const char* wanted) const {
  fail(ErrorCode::kUsage, "this needs a backbone of the family {}, but the model's is {}", wanted, family_name());
}

Size round_to_stride(Size size, int stride) {
  const auto nearest = [stride](int side) { return std::max(1, (side + stride / 2) / stride) * stride; };
  return {nearest(size.height), nearest(size.width)};
}

}  // namespace revisit::model

// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What the descriptions of convolutional networks share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/backbone_family.h"
#include "engine/model/backbone_importer.h"
#include "engine/model/key_names.h"

namespace revisit::model {

class ConvFamily : public BackboneFamily {
 public:
  int stride(const BackboneConfig& /*config*/) const override { return 1; }  // any size of input will do
  bool gives_tokens() const override { return false; }
  std::vector<std::string> block_layers(const BackboneConfig& /*config*/) const override { return {}; }
  void tell(const BackboneConfig& config, ModelInfo& info) const override;
};

/// Their importers have no settings beside the shapes, and take none of a vision transformer's.
class ConvImporter : public BackboneImporter {
 public:
  void complete(Config& config, const KeyMap& keys, const ImportOptions& options) const override;
  std::string settings_beside_shapes(const BackboneConfig& /*config*/) const override { return "no other settings"; }

 protected:
  virtual Size usual_size() const = 0;
};

/// "12" of "12.weight", which then begins with the dot. Empty unless digits, up to four, and a dot come first.
std::optional<int> take_number(std::string_view& rest);

/// Cells along a side after a 3x3 window (or the stem's 7x7) of stride 2 that is padded to keep sizes.
inline int halved_up(int cells) { return (cells + 1) / 2; }

}  // namespace revisit::model

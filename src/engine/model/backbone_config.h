// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The settings of a network in front of the aggregator, whatever its family, and what all of them can answer.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/model/resnet_config.h"
#include "engine/model/vgg_config.h"
#include "engine/model/vit_config.h"
#include "revisit/image.h"

namespace revisit::model {

class BackboneFamily;

/// How many patches a block works on: its attention, and its MLP, which may see fewer.
struct PatchesInBlock {
  int attention, mlp;
};

/// A closed set: a new family adds its settings to the variant and a line to backbones.def.
class BackboneConfig {
 public:
  BackboneConfig() = default;                                       ///< a ViT without sizes
  BackboneConfig(VitConfig vit) : any_(std::move(vit)) {}           // NOLINT: it is one of these
  BackboneConfig(ResnetConfig resnet) : any_(std::move(resnet)) {}  // NOLINT
  BackboneConfig(VggConfig vgg) : any_(std::move(vgg)) {}           // NOLINT

  const BackboneFamily& family() const;

  // For any network.
  const std::string& arch() const;  ///< "dinov2_vitb14", or the family's name when none fits
  int width() const;                ///< values of a feature: the token dimension, or channels
  int stride() const;               ///< pixels; each side of the input is a multiple of it, and at least one
  int blocks() const;               ///< between which tokens may be dropped, where there are tokens
  bool gives_tokens() const;        ///< else a feature map
  Size grid(Size input) const;      ///< rows and columns of patches, or of the feature map
  /// Multiply-adds of one forward. patches[i] is how many are left in block i; empty: all in every block.
  double macs(Size input, std::span<const PatchesInBlock> patches) const;

  // For one family. These throw Error kUsage for a network of another.
  VitConfig& vit() { return or_refuse(std::get_if<VitConfig>(&any_)); }
  const VitConfig& vit() const { return or_refuse(std::get_if<VitConfig>(&any_)); }
  ResnetConfig& resnet() { return or_refuse(std::get_if<ResnetConfig>(&any_)); }
  const ResnetConfig& resnet() const { return or_refuse(std::get_if<ResnetConfig>(&any_)); }
  VggConfig& vgg() { return or_refuse(std::get_if<VggConfig>(&any_)); }
  const VggConfig& vgg() const { return or_refuse(std::get_if<VggConfig>(&any_)); }

 private:
  template <typename Settings>
  Settings& or_refuse(Settings* found) const {
    if (found == nullptr) wrong_family(Settings::kFamily);
    return *found;
  }
  const char* family_name() const;
  [[noreturn]] void wrong_family(const char* wanted) const;

  std::variant<VitConfig, ResnetConfig, VggConfig> any_;
};

/// The size nearest to this one whose sides are multiples of the stride, each at least one.
Size round_to_stride(Size size, int stride);

}  // namespace revisit::model

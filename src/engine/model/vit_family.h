// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The description of vision transformers; its parts are in vit_*.cpp.
#pragma once

#include "engine/model/backbone_family.h"

namespace revisit::model {

class VitFamily final : public BackboneFamily {
 public:
  // vit_family.cpp
  const char* name() const override;
  const std::string& arch(const BackboneConfig& config) const override;
  int width(const BackboneConfig& config) const override;
  int stride(const BackboneConfig& config) const override;
  int blocks(const BackboneConfig& config) const override;
  Size grid(const BackboneConfig& config, Size input) const override;
  double macs(const BackboneConfig& config, Size input, std::span<const PatchesInBlock> patches) const override;
  void keep_blocks(BackboneConfig& config, int blocks) const override;
  void tell(const BackboneConfig& config, ModelInfo& info) const override;

  // vit_metadata.cpp
  void write(const BackboneConfig& config, std::map<std::string, std::string>& metadata) const override;
  BackboneConfig read(const Fields& fields) const override;
  void check(const BackboneConfig& config, const Checker& check) const override;

  // vit_tensors.cpp
  void add_tensors(const BackboneConfig& config, Shapes& shapes) const override;
  std::vector<std::string> block_layers(const BackboneConfig& config) const override;
  void fill_random(const BackboneConfig& config, const std::string& name, const Shape& shape, const Uniform& uniform,
                   std::vector<float>& values) const override;

  // vit_known.cpp
  std::vector<KnownModel> known() const override;

  // vit_importer.cpp
  const BackboneImporter& importer() const override;
};

}  // namespace revisit::model
